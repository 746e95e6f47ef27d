"""Co-occurrence: how often does each token stand near each other one?

The times are counted over the whole text before anything is learnt: two tokens of one document at a distance d count
1 / d for each other. What is learnt is not which token stands in a gap, but the logarithm of those times; the exercise
shows each token with all that it meets. As in GloVe's code and paper, the window reaches as far to either side.

B rows   T tokens   M tokens of a text   P pairs
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Packing
from lab.noise import Dice
from lab.settings import knob
from lab.vocabulary import Cooccurrences, Vocabulary

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Cooccurrence(ObjectiveSettings):
    """How far apart two tokens still meet."""

    reach: int = knob(10, "Window size: tokens to either side", "窗口大小：每侧的词元数", low=1, high=50)


def asking(ids: Ids, s: Cooccurrence, vocabulary: Vocabulary) -> Exercise:
    """How a trained model is asked: every gap by all tokens that a window holds."""
    return Exercise(shown=ids, asked=ids == vocabulary.mask, answers=ids, visible=_near(ids.shape[1], s))


def count_cooccurrences(ids: Ids, s: Cooccurrence, vocabulary: Vocabulary) -> Cooccurrences:
    """How often any two tokens of a text (M,) meet, both ways round: pairs (P,) that ever do, and their times."""
    text, special = (ids == vocabulary.end).cumsum(), vocabulary.is_special(ids)  # (M,)
    keys = np.zeros(0, dtype=np.int64)
    times: NDArray[np.float64] = np.zeros(0)
    # Distance by distance over the whole text at once: two arrays, one of them shifted, instead of a window that
    # slides.
    for distance in range(1, min(s.reach, len(ids) - 1) + 1):
        left, right = ids[:-distance].astype(np.int64), ids[distance:].astype(np.int64)
        met = (text[:-distance] == text[distance:]) & ~special[:-distance] & ~special[distance:]
        # A pair is one number, so that counting is sorting. Both ways round, because the table is symmetric.
        pairs = [one[met] * vocabulary.size + two[met] for one, two in ((left, right), (right, left))]
        new_keys, seen = np.unique(np.concatenate(pairs), return_counts=True)
        # The sparse table grows by merging: only pairs that ever meet have a cell.
        keys, place = np.unique(np.concatenate([keys, new_keys]), return_inverse=True)
        times = np.bincount(place, np.concatenate([times, seen / distance]), len(keys)).astype(np.float64)
    return Cooccurrences(keys, times)


@OBJECTIVES.add(
    "cooccurrence",
    title="Co-occurrence counts",
    zh=("共现次数", "统计共现：每两个词元有多常出现在彼此附近。"),
    paper="Pennington et al. 2014, sections 3 and 4.2",
    settings=Cooccurrence,
    traits={"cooccurrences"},
    stage="token",
    frame="plain",
    order=31,
    decoding=Decoding(reading=asking),
    packing=Packing(cooccurrences=count_cooccurrences),
)
def cooccurrence(ids: Ids, s: Cooccurrence, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Counts co-occurrences: how often each token stands near each other one."""
    text, ordinary = (ids == vocabulary.end).cumsum(1), ~vocabulary.is_special(ids)  # (B, T)
    same = text[:, :, None] == text[:, None, :]
    # No pair across the end of a text, and none with a special token.
    visible = _near(ids.shape[1], s) & same & ordinary[:, :, None] & ordinary[:, None, :]  # (B, T, T)
    return Exercise(shown=ids.copy(), asked=visible.sum(-1) > 0, answers=ids, visible=visible)


def _near(n: int, s: Cooccurrence) -> NDArray[np.bool_]:
    """Which of ``n`` places are near each other: (n, n)."""
    distance = np.abs(np.arange(n)[:, None] - np.arange(n))
    return (distance > 0) & (distance <= s.reach)
