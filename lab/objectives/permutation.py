"""Permutation language modelling: read a row in a random order, and ask for its last few tokens one by one.

As in XLNet's code, what is asked are spans of one to five tokens, each with a context of six times its length around
it and its start at the start of a word; single tokens make up what is missing. All other ordinary tokens are read
first, at once: everybody sees them, and they see nothing that is asked. [SEP] and [CLS] have a turn in the order and
are never asked. The code speaks of words and counts tokens, and so does this file. The authors also read half of the
rows backwards, and each row in two halves, the first of which knows nothing of the second: two settings, off at first.

B rows   T tokens   S spans
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Rates
from lab.noise import Dice
from lab.settings import knob
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Marks = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Permutation(ObjectiveSettings):
    """How much is asked, and in how long spans."""

    every: int = knob(6, "K: one token in K is a target", "K：每 K 个词元有一个目标", low=1, high=64)
    longest: int = knob(5, "Longest span in tokens", "最长片段的词元数", low=1, high=32)
    around: int = knob(6, "Context tokens for each target", "每个目标的上下文词元数", low=1, high=32)
    backwards: float = knob(0.0, "Share of rows read backwards", "倒着读的行的比例", low=0.0, high=1.0, step=0.05)
    halves: bool = knob(False, "Two halves, each with its own order", "分成两半，各有自己的次序")


def reading(ids: Ids, s: Permutation, vocabulary: Vocabulary) -> Exercise:
    """The exercise of a text with gaps: each [MASK] comes last in the order, so that no token sees it."""
    gaps = ids == vocabulary.mask  # (B, T)
    return ordered(ids, gaps, gaps, np.zeros_like(ids), vocabulary)


@OBJECTIVES.add(
    "permutation",
    title="Permutation language modelling",
    zh=("排列语言模型", "按随机次序阅读，逐个预测排在最后的词元。"),
    paper="Yang et al. 2019, section 2.2",
    settings=Permutation,
    traits={"visible", "segments", "streams"},
    stage="token",
    frame="closed",
    order=10,
    rates=Rates(share=lambda s: 1 / s.every),
    decoding=Decoding(reading=reading),
)
def permutation(ids: Ids, s: Permutation, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Reads a row in a random order and predicts the last few tokens, each from those that come before it."""
    t, words = ids.shape[1], vocabulary.words(ids)  # (B, T)
    backwards = dice.random(1)[:, 0] < s.backwards if s.backwards else None
    read = turned(ids, backwards, vocabulary)  # (B, T)
    ids, words = (np.take_along_axis(rows, read, 1) for rows in (ids, words))
    cut = t // 2 if s.halves else 0
    asked = np.concatenate(
        [
            chosen(ids[:, half], words[:, half], backwards, s, vocabulary, dice)
            for half in (slice(cut), slice(cut, t))
            if half.stop
        ],
        axis=1,
    )
    # The row itself stays as it stands; what is permuted is who may look at whom. Positions tell where each token is.
    turns = (dice.random(t) + (np.arange(t) >= cut)).argsort(1).argsort(1)  # (B, T): a permutation of each row
    # [CLS] and [SEP] have a turn too: whoever comes before them in the order may be gathered from, targets included.
    functional = np.isin(ids, [vocabulary.separate, vocabulary.begin])  # (B, T)
    return replace(ordered(ids, asked, asked | functional, turns, vocabulary, cut), backwards=backwards)


def turned(ids: Ids, backwards: NDArray[np.bool_] | None, vocabulary: Vocabulary) -> Ids:
    """Which place of its row each token is read from: the last before what closes the row comes first where the row is
    read ``backwards`` (B,). (B, T)"""
    place = np.arange(ids.shape[1])
    if backwards is None:
        return np.broadcast_to(place, ids.shape)
    text = ~np.isin(ids, [vocabulary.separate, vocabulary.begin, vocabulary.pad])
    last = np.where(text, place, -1).max(1, initial=-1)[:, None]  # (B, 1)
    return np.where(backwards[:, None] & (place <= last), last - place, place)


def chosen(
    ids: Ids, words: Ids, backwards: NDArray[np.bool_] | None, s: Permutation, vocabulary: Vocabulary, dice: Dice
) -> Marks:
    """What is asked of rows, or of a half of each, as they are read: (B, T). Spans begin where words do, and so they
    are laid as the text is written."""
    written = turned(ids, backwards, vocabulary)
    ids, words = (np.take_along_axis(rows, written, 1) for rows in (ids, words))
    ordinary = ~vocabulary.is_special(ids)  # (B, T)
    count = ordinary.sum(1)  # (B,)
    goal = np.maximum(count // s.every, np.minimum(count, 1))  # (B,)
    starts = ordinary & (np.diff(words, axis=1, prepend=-1) != 0)
    asked = spans(ordinary, starts, goal, s, dice)
    asked |= rest(ordinary & ~asked, goal - asked.sum(1), dice)
    return np.take_along_axis(asked, written, 1)


def spans(ordinary: Marks, starts: Marks, goal: Ids, s: Permutation, dice: Dice) -> Marks:
    """Where spans lie, up to ``goal`` (B,) ordinary tokens in each row: (B, T).

    A span has a context of ``around`` times its tokens, a random share of it before it; it begins at the next start of
    a word and is left out where it would touch the end. Short spans are likelier: n has the probability 1/n, made to
    sum to one.
    """
    b, t = ordinary.shape
    every = np.arange(b)
    following = np.minimum.accumulate(np.where(starts, np.arange(t), t)[:, ::-1], axis=1)[:, ::-1]  # (B, T)
    following = np.concatenate([following, np.full((b, t + 1), t)], axis=1)  # a look beyond the end finds none
    before = np.concatenate([np.zeros((b, 1), dtype=np.int64), ordinary.cumsum(1)], axis=1)  # (B, T + 1)
    likely = np.cumsum(1 / np.arange(1, s.longest + 1))
    draws = dice.random(2 * -(-t // (s.around + 1))).reshape(b, -1, 2)  # (B, S, 2)
    edges = np.zeros((b, t + 1), dtype=np.int64)
    at, left = np.zeros(b, dtype=np.int64), goal.copy()
    for draw in draws.transpose(1, 2, 0):  # (2, B)
        n = 1 + np.searchsorted(likely / likely[-1], draw[0], side="right")
        n = np.minimum(np.minimum(n, s.longest), np.maximum(left, 1))
        ahead = (draw[1] * s.around * n).astype(np.int64)
        begin = following[every, np.minimum(at + ahead, 2 * t)]
        end = np.minimum(begin + n, t)
        fits = (left > 0) & (end < t)
        np.add.at(edges, (every[fits], begin[fits]), 1)
        np.add.at(edges, (every[fits], end[fits]), -1)
        left = np.where(fits, left - before[every, end] + before[every, begin], 0)
        at = end + s.around * n - ahead
    return ordinary & (edges.cumsum(1)[:, :-1] > 0)


def rest(candidates: Marks, missing: Ids, dice: Dice) -> Marks:
    """``missing`` (B,) of each row's candidates at random: (B, T)."""
    keys = np.where(candidates, dice.random(candidates.shape[1]), 2.0)  # (B, T)
    # What no span had room for is asked token by token, so that each row is asked as much.
    rank = keys.argsort(1, kind="stable").argsort(1, kind="stable")
    return candidates & (rank < missing[:, None])


def ordered(ids: Ids, asked: Marks, hidden: Marks, turns: Ids, vocabulary: Vocabulary, cut: int = 0) -> Exercise:
    """The exercise in which each ``hidden`` token is seen by itself and by those whose turn is later. Before the
    ``cut`` nothing behind it is seen, and behind it all that is before.

    A token that is asked must not answer from itself: the stream that answers sees the same but for the token. [CLS]
    is a segment of its own.
    """
    order = np.where(hidden, turns, -1)  # (B, T)
    now = np.where(asked, order, order + 1)  # a functional token sees what has the turn before it, and itself
    visible = ~(hidden[:, None] & (now[:, :, None] <= order[:, None])) | np.eye(ids.shape[1], dtype=bool)
    visible[:, :cut, cut:], visible[:, cut:, :cut] = False, True
    return Exercise(
        shown=ids.copy(),
        asked=asked,
        answers=ids,
        visible=visible,
        segments=(ids == vocabulary.begin).astype(np.int64),
        real=ids != vocabulary.pad,
        order=order,
    )
