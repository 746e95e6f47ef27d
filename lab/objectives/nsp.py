"""Next sentence prediction: does the second segment follow the first, or is it from elsewhere?

As in BERT's code, a run of sentences is cut in two behind a random sentence. In half of the cases the second part
gives way to text from another document, and always if the run has but one sentence: then nothing could follow. What
gave way is not lost: the next run begins with it. One run in ten is made shorter than a row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lab.batch import Pair
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Rates
from lab.noise import Dice
from lab.objectives.parts.sentence_pairs import Sentences, behind, borrow, shorten
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Nsp(ObjectiveSettings):
    """How often the second part comes from elsewhere, and how many pairs of a corpus are short."""

    random: float = knob(0.5, "Share of random sentences", "随机句的比例", low=0.0, high=1.0, step=0.05)
    short: float = knob(0.1, "Share of short pairs", "短句对的比例", low=0.0, high=1.0, step=0.05)


def used(s: Nsp, sentences: int, uniforms: Sequence[float]) -> int:
    """How many sentences of a passage its pair takes: all, or the first part alone."""
    at, elsewhere = parted(s, sentences, uniforms)
    return at if elsewhere else sentences


def parted(s: Nsp, sentences: int, uniforms: Sequence[float]) -> tuple[int, bool]:
    """Behind which of so many sentences the first part ends, and whether the second comes from elsewhere: always
    behind a single one, else by the two ``uniforms`` that the passage's dice give first."""
    if sentences == 1:
        return 1, True
    return behind(sentences, uniforms[0]), uniforms[1] < s.random


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
    rates=Rates(second=lambda s: s.random),
    used=used,
)
def nsp(
    sentences: Sentences, other: Callable[[], Sentences], length: int, s: Nsp, dice: Dice, wanted: int | None = None
) -> Pair:
    """Classifies whether the second segment follows the first."""
    # The dice of the passage decide first of all, so that whoever lays out the rows can ask the same function how many
    # sentences are used and where the next passage begins.
    at, random = parted(s, len(sentences), [dice.one() for _ in range(2)] if len(sentences) > 1 else ())
    first = np.concatenate(sentences[:at])
    # A false second segment is of another document. Its topic gives it away, say the authors of ALBERT, and ask for the
    # order of two segments of one document instead (sop).
    second = borrow(other(), (wanted or length) - len(first), dice) if random else np.concatenate(sentences[at:])
    # Both are cut to fit from either end at random, so that lengths say nothing about the answer.
    first, second = shorten(first, second, length, dice)
    return Pair(first=first, second=second, answer=int(random))
