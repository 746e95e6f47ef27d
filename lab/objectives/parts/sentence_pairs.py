"""Pairs of segments, as BERT's code makes them: a run of sentences cut in two, and both parts shortened to fit."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.noise import Dice

Ids = NDArray[np.int64]
Sentences = Sequence[Ids]


def cut(sentences: Sentences, dice: Dice) -> tuple[Ids, Ids]:
    """The sentences in two parts, cut behind a random one. The second part of a single sentence is empty."""
    if len(sentences) == 1:
        return sentences[0], sentences[0][:0]
    at = behind(len(sentences), dice.one())
    return np.concatenate(sentences[:at]), np.concatenate(sentences[at:])


def behind(sentences: int, uniform: float) -> int:
    """Behind which of so many sentences the cut is."""
    return 1 + int(uniform * (sentences - 1))


def borrow(sentences: Sentences, wanted: int, dice: Dice) -> Ids:
    """Whole sentences from a random one on, until there are ``wanted`` ids or no more sentences; at least one."""
    # From a random sentence on, as in BERT's code: the openings of documents would be easily told.
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
    # Who is longer gives, until both are as long: worked out at once instead of id by id.
    keep = min(len(first), max(length - length // 2, length - len(second)))
    return trim(first, keep, dice), trim(second, min(len(second), length - keep), dice)


def trim(ids: Ids, length: int, dice: Dice) -> Ids:
    """``length`` of the ids: each of those dropped was at the front or at the back, by the flip of a coin."""
    # Each id is dropped from the front or the back by a coin, as in BERT's code; only how many is what counts.
    front = int((dice.random(len(ids) - length)[0] < 0.5).sum())
    return ids[front : front + length]
