"""Masking: which tokens of each row are drawn to be masked and asked, one by one or as runs of whole words.

Single tokens are BERT's masking, whole words are whole-word masking, runs of words n-gram masking and MacBERT's. The
masking rate is a share of each row's ordinary tokens, right on average however short the row is. What stands in the
place of a masked token (80/10/10) is not decided here but in ``lab/objectives/mlm.py``.

B rows   T tokens   N the longest run in words
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.noise import Dice


def choose(candidates: NDArray[np.bool_], share: float, dice: Dice) -> NDArray[np.bool_]:
    """Token masking: an exact share of each row's candidates, drawn without replacement: (B, T).

    A row of n candidates gives floor(share * n + u) of them, u uniform in [0, 1), so that the share is right on
    average however short the row is. That is fairseq's rounding; BERT's own code takes max(1, round(share * n)), and
    both count special tokens in n. At least one is chosen wherever there is a candidate, else nothing would be asked.
    """
    n = candidates.sum(axis=1)  # (B,)
    count = np.floor(share * n + dice.random(1)[:, 0]).astype(np.int64)
    count = np.minimum(np.maximum(count, 1), n)
    # Drawing without replacement is to give each token a random key and to take the smallest: no loop over rows.
    keys = np.where(candidates, dice.random(candidates.shape[1]), 2.0)  # a key of 2 is never among the smallest
    last = np.sort(keys, axis=1)[np.arange(len(keys)), np.maximum(count, 1) - 1]  # (B,)
    return candidates & (keys <= last[:, None])


def expected_count(share: float, n: int) -> tuple[float, float]:
    """The mean and the standard deviation of how many of n tokens ``choose`` draws: a whole number next to
    share * n, but at least one."""
    low = math.floor(share * n)
    part = share * n - low
    few, many = max(low, 1), min(max(low + 1, 1), n)
    return few + part * (many - few), (many - few) * math.sqrt(part * (1 - part))


def expected_in_words(words: NDArray[np.int64], share: float, longest: int = 1) -> tuple[float, float] | None:
    """The same of a row's ``words`` (T,) for the rules below, with runs of up to ``longest`` words where they must not
    overlap; None where words may be too long for the room that is left, for which there is no formula."""
    n = int((words >= 0).sum())
    most = max(math.ceil(share * n - 1e-9), 1)
    return expected_count(share, n) if filled(words, most, longest) else None


def filled(words: NDArray[np.int64], most: int, longest: int = 1) -> bool:
    """Whether runs of up to ``longest`` of a row's ``words`` (T,) always make up as many tokens as ``most``."""
    # A word of one token fits any room. It stays free only if its run would overlap another, which begins at most
    # longest - 1 words behind it: with more such words than that, there is no room left in the end.
    single = int((np.bincount(words[words >= 0]) == 1).sum())
    return single > longest * (most - 1)


def budget(words: NDArray[np.int64], share: float, dice: Dice) -> NDArray[np.int64]:
    """How many tokens of each row ``choose`` would draw, one where there is none: (B,). ``words`` (B, T) is -1 where
    nothing may be asked."""
    n = (words >= 0).sum(axis=1)  # (B,)
    return np.maximum(np.floor(share * n + dice.random(1)[:, 0]).astype(np.int64), 1)


def choose_words(words: NDArray[np.int64], lengths: Sequence[float], share: float, dice: Dice) -> NDArray[np.bool_]:
    """MacBERT's masking: a share of each row's tokens, drawn as runs of whole words: (B, T).

    ``words`` (B, T) numbers the word of each token, -1 where nothing may be asked; ``lengths`` are the chances of runs
    of one, two, three ... words. As many tokens as ``choose`` would draw are the most that a row may give. Words are
    visited in random order, and a run begins at each that is free: it ends before the next one that is taken and, where
    it is too long, loses words until it fits. Where not even one word fits, the first is taken all the same.
    """
    most = budget(words, share, dice)
    keys, uniforms = dice.random(words.shape[1]), dice.random(words.shape[1])
    wanted = 1 + np.searchsorted(
        np.cumsum(lengths)[:-1], uniforms, side="right"
    )  # (B, T) words in the run that begins here
    chosen = np.zeros(words.shape, dtype=bool)
    for row in range(len(words)):
        for start, end in _runs(words[row], wanted[row], keys[row], int(most[row])):
            chosen[row, start:end] = True
    return chosen


def _runs(
    words: NDArray[np.int64], wanted: NDArray[np.int64], keys: NDArray[np.float64], most: int
) -> list[tuple[int, int]]:
    """From and up to which token each run goes. ``words``, ``wanted`` and ``keys`` are (T,)."""
    edges = [0, *(np.flatnonzero(words[1:] != words[:-1]) + 1).tolist(), len(words)]
    spans = [(start, end) for start, end in zip(edges, edges[1:], strict=False) if words[start] >= 0]
    order = sorted(range(len(spans)), key=lambda word: keys[spans[word][0]])
    taken: set[int] = set()
    runs: list[tuple[int, int]] = []
    left = most
    for first in order:
        start, end = spans[first][0], 0
        for word in range(first, min(first + int(wanted[start]), len(spans))):
            apart = word > first and spans[word][0] != end
            if apart or word in taken or spans[word][1] - start > left:
                break
            taken.add(word)
            end = spans[word][1]
        if end:
            runs.append((start, end))
            left -= end - start
    return runs or [spans[word] for word in order[:1]]


def choose_grams(words: NDArray[np.int64], lengths: Sequence[float], share: float, dice: Dice) -> NDArray[np.bool_]:
    """N-gram masking: a share of each row's tokens, drawn as runs of whole words that do not overlap: (B, T).

    ALBERT's rule, and for runs of one word BERT's whole-word masking. Words are visited in random order. A run that is
    longer than what is left of the share loses words until it fits; unlike with ``choose_words``, one that would
    overlap another is left out as a whole, and where the text has fewer words left their chances grow in proportion. No
    run goes on behind a special token. Where not even one word fits, the first is taken all the same.
    """
    most = budget(words, share, dice)
    keys, uniforms = dice.random(words.shape[1]), dice.random(words.shape[1])
    # Near a special token or the end only short runs have room: their chances are scaled up to add up to one there.
    sums = np.cumsum(lengths)
    there = (_ends(words, len(lengths)) > 0).sum(axis=0)  # (B, T) how many words a run from here may have
    wanted = 1 + np.searchsorted(sums[:-1], uniforms * sums[there - 1], side="right")
    return grams(words, wanted, keys, most)


def grams(
    words: NDArray[np.int64], wanted: NDArray[np.int64], keys: NDArray[np.float64], most: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Runs of ``wanted`` words, at most so many tokens a row as ``most`` (B,) says, those with the smallest ``keys``
    first, by the rule of ``choose_grams``: all (B, T)."""
    # All rows take their first word at once, then their second, ...: the loop is as long as a row, not as a batch.
    b, t = words.shape
    ends = _ends(words, int(wanted.max(initial=1)))  # (N, B, T)
    order = np.where(ends[0] > 0, keys, np.inf).argsort(axis=1, kind="stable")
    rows, places, steps = np.arange(b), np.arange(t), np.arange(len(ends))[:, None]
    chosen, left = np.zeros((b, t), dtype=bool), most.copy()
    for at in order.T[: int((ends[0] > 0).sum(axis=1).max(initial=0))]:  # (B,)
        sizes = np.where(steps < wanted[rows, at], ends[:, rows, at] - at, 0)  # (N, B)
        size = np.where(sizes <= left, sizes, 0).max(axis=0)
        inside = (places >= at[:, None]) & (places < (at + size)[:, None])  # (B, T)
        free = ~(inside & chosen).any(axis=1)
        chosen |= inside & free[:, None]
        left -= np.where(free, size, 0).clip(min=0)
        if not left.any():
            break
    first = order[:, :1]  # (B, 1) without a word its end is 0, and nothing is before that
    alone = (places >= first) & (places < np.take_along_axis(ends[0], first, axis=1))
    return np.where(chosen.any(axis=1, keepdims=True), chosen, alone)


def _ends(words: NDArray[np.int64], longest: int) -> NDArray[np.int64]:
    """Up to which token runs of one, two, ... words go that begin at each token, 0 where there is none: (N, B, T)."""
    b, t = words.shape
    edge = np.ones((b, t + 1), dtype=bool)  # where a word, or a special token, begins, and behind the last
    edge[:, 1:-1] = words[:, 1:] != words[:, :-1]
    places = np.where(edge, np.arange(t + 1), t)
    following = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1][:, 1:]  # (B, T) the next edge
    one = np.zeros((b, t + 1), dtype=np.int64)  # behind the last token nothing begins
    one[:, :-1] = np.where(edge[:, :-1] & (words >= 0), following, 0)
    ends = [one]
    for _ in range(longest - 1):
        ends.append(np.where(ends[-1] > 0, np.take_along_axis(one, ends[-1], axis=1), 0))
    return np.stack(ends)[..., :-1]


def together(draws: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same number for neighbours of one group, that of the first of them: (B, T) each."""
    first = np.ones(groups.shape, dtype=bool)
    first[:, 1:] = groups[:, 1:] != groups[:, :-1]
    start = np.maximum.accumulate(np.where(first, np.arange(groups.shape[1]), 0), axis=1)
    return np.take_along_axis(draws, start, axis=1)
