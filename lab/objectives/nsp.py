"""Next sentence prediction: does the second stretch of text follow the first, or is it from elsewhere?

As in BERT's code, a run of sentences is cut in two behind a random sentence. In half of the cases the second part
gives way to text from another document, and always if the run has but one sentence: then nothing could follow. What
gave way is not lost: the next run begins with it. One run in ten is made shorter than a row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Pair
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings
from lab.noise import Dice
from lab.settings import knob

Ids = NDArray[np.int64]
Sentences = Sequence[Ids]


@dataclass(frozen=True, kw_only=True)
class Nsp(ObjectiveSettings):
    """How often the second part comes from elsewhere, and how many pairs of a corpus are short."""

    random: float = knob(0.5, "Share of random sentences", "随机句的比例", low=0.0, high=1.0, step=0.05)
    short: float = knob(0.1, "Share of short pairs", "短句对的比例", low=0.0, high=1.0, step=0.05)


def used(s: Nsp, sentences: int, luck: Sequence[float]) -> int:
    """How many sentences of a run its pair will use, of the first two numbers that its dice will give."""
    at = behind(sentences, luck[0])
    return at if sentences > 1 and luck[1] < s.random else sentences


@OBJECTIVES.add(
    "nsp",
    title="Next sentence prediction",
    zh=("下一句预测", "判断第二段文字是否紧接在第一段之后。"),
    paper="Devlin et al. 2018, section 3.1",
    settings=Nsp,
    traits={"segments", "pools"},
    stage="pair",
    order=1,
    answers=(("is next", "是下一句"), ("random", "随机句")),
    used=used,
)
def nsp(
    sentences: Sentences, other: Callable[[], Sentences], length: int, s: Nsp, dice: Dice, wanted: int | None = None
) -> Pair:
    """Classifies whether the second segment follows the first."""
    first, second = cut(sentences, dice)
    random = not len(second) or dice.one() < s.random
    if random:
        second = borrow(other(), (wanted or length) - len(first), dice)
    first, second = shorten(first, second, length, dice)
    return Pair(first=first, second=second, answer=int(random))


def cut(sentences: Sentences, dice: Dice) -> tuple[Ids, Ids]:
    """The sentences in two parts, cut behind a random one. The second part of a single sentence is empty."""
    if len(sentences) == 1:
        return sentences[0], sentences[0][:0]
    at = behind(len(sentences), dice.one())
    return np.concatenate(sentences[:at]), np.concatenate(sentences[at:])


def behind(sentences: int, luck: float) -> int:
    """Behind which of so many sentences the cut is."""
    return 1 + int(luck * (sentences - 1))


def borrow(sentences: Sentences, wanted: int, dice: Dice) -> Ids:
    """Whole sentences from a random one on, until there are ``wanted`` ids or no more sentences; at least one."""
    start = int(dice.one() * len(sentences))
    end = start + 1
    have = len(sentences[start])
    while have < wanted and end < len(sentences):
        have += len(sentences[end])
        end += 1
    return np.concatenate(sentences[start:end])


def shorten(first: Ids, second: Ids, length: int, dice: Dice) -> tuple[Ids, Ids]:
    """Both parts, with at most ``length`` ids together. The longer part (on a tie the second) loses one id after
    another, each from its front or its back with equal chance."""
    assert len(first) and len(second) and length >= 2
    keep = min(len(first), max(length - length // 2, length - len(second)))
    return trim(first, keep, dice), trim(second, min(len(second), length - keep), dice)


def trim(ids: Ids, length: int, dice: Dice) -> Ids:
    """``length`` of the ids: each of those dropped was at the front or at the back, by the flip of a coin."""
    front = int((dice.random(len(ids) - length)[0] < 0.5).sum())
    return ids[front : front + length]
