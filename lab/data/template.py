"""Templates: the special tokens that an objective puts around a text, and who may look at whom there.

B rows   T tokens
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise, Pair
from lab.entries import ObjectiveEntry
from lab.vocabulary import Vocabulary

FRAMES = {"plain": 0, "bounded": 2, "closed": 2}  # how many special tokens stand around a text

Ids = NDArray[np.int64]


def given(objective: ObjectiveEntry) -> Literal["all", "causal"]:
    """Who may look at whom in a text of which nothing is asked: a prefix is seen whole by a model that goes on from
    one."""
    return "causal" if objective.left_to_right and objective.given != "all" else "all"


def framed(ids: Ids, frame: str, vocabulary: Vocabulary) -> Ids:
    """Rows of text as an objective wants them framed: "plain", "bounded" by [CLS] and [SEP], or "closed" by [SEP] and
    [CLS]; (B, T) or (T,)."""
    if frame == "plain":
        return ids.astype(np.int64)
    begin, separate = (np.full((*ids.shape[:-1], 1), token) for token in (vocabulary.begin, vocabulary.separate))
    parts = {"bounded": [begin, ids, separate], "closed": [ids, separate, begin]}[frame]
    return np.concatenate(parts, axis=-1).astype(np.int64, copy=False)


def framed_pairs(pairs: Sequence[Pair], vocabulary: Vocabulary) -> tuple[Ids, Ids, NDArray[np.bool_], Ids]:
    """[CLS] first [SEP] second [SEP], padded to the longest: ids, segments, real (B, T) and answers (B,)."""
    width = max(len(pair.first) + len(pair.second) for pair in pairs) + 3
    ids = np.full((len(pairs), width), vocabulary.pad, dtype=np.int64)
    segments = np.zeros_like(ids)
    real = np.zeros(ids.shape, dtype=bool)
    separate = [vocabulary.separate]
    for row, pair in enumerate(pairs):
        whole = np.concatenate([[vocabulary.begin], pair.first, separate, pair.second, separate])
        ids[row, : len(whole)] = whole
        segments[row, len(pair.first) + 2 : len(whole)] = 1
        real[row, : len(whole)] = True
    return ids, segments, real, np.array([pair.answer for pair in pairs], dtype=np.int64)


def with_segments(exercise: Exercise, segments: Ids) -> Exercise:
    """The exercise, told which sentence each token belongs to."""
    return replace(exercise, segments=segments)
