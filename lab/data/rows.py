"""Packing: where the rows of a text begin and end, cut anywhere, in whole sentences, or in runs for pairs; and which of
a batch are whose.

S sentences   R rows   B rows of a batch
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import overload

import numpy as np
from numpy.typing import NDArray

from lab.noise import Dice
from lab.settings import SettingsError

Ids = NDArray[np.int64]
Chunk = tuple[int, int, int]  # the first of a run of sentences, the one behind it, and how many ids it should have
Share = tuple[int, int]  # which part of a batch, and of how many that are as even as can be
ALL = (0, 1)


def shared(places: Ids, share: Share) -> Ids:
    """The places (B,) in one share of a batch: neighbours, at most one more than in another share."""
    number, of = share
    return np.array_split(places, of)[number] if of > 1 else places


def packed(edges: Ids, ends: Ids, room: int, *, crossing: bool, least: int = 1) -> Ids:
    """Rows of as many whole sentences as have ``room``: (R, 2), the first id of each and the one behind it.

    ``edges`` (S + 1,) are where sentences begin, ``ends`` where documents do; rows go on into the next document where
    ``crossing``. A sentence without room in a whole row is cut, and what is left of it is the next row's first. A row
    of fewer ids than ``least`` is left out. Raises SettingsError where all are.
    """
    begins, stops = edges.tolist(), edges.tolist() if crossing else sorted({*ends.tolist(), int(edges[-1])})
    rows, at = [], int(edges[0])
    while at < begins[-1]:
        most = at + room if crossing else min(at + room, stops[bisect_right(stops, at)])
        whole = begins[bisect_right(begins, most) - 1]
        rows.append((at, whole if whole > at else most))
        at = rows[-1][1]
    rows = [(first, behind) for first, behind in rows if behind - first >= least]
    if not rows:
        raise SettingsError(
            f"no document has {least} tokens to learn from: let rows cross documents",
            f"没有一篇文档有 {least} 个可供学习的词元：请让一行跨越文档",
        )
    return np.array(rows, dtype=np.int64)


def chunks(
    edges: Ids,
    documents: Ids,
    room: int,
    short: float,
    dice: tuple[Dice, Dice],
    used: Callable[[int, Sequence[float]], int] | None = None,
) -> list[Chunk]:
    """Runs of sentences of one document, each until it has ``room`` ids or, in a share of ``short``, fewer.

    ``documents`` (D + 1,) say which sentence each document begins with. ``used`` says how many of a run's sentences
    its pair will use, of the first numbers that the pair's dice will give; the next run begins behind those.
    """
    most = len(edges) - 1  # no run is without a sentence
    brief, uniforms = dice[0].random(2).tolist(), dice[1].random(2).tolist()
    begins, laid_out = edges.tolist(), list[Chunk]()
    assert len(brief) == len(uniforms) >= most
    for first, last in zip(documents[:-1].tolist(), documents[1:].tolist(), strict=True):
        while first < last:
            here = brief[len(laid_out)]
            length = 2 + int(here[1] * (room - 1)) if here[0] < short else room
            behind = min(bisect_left(begins, begins[first] + length, first + 1), last)
            pair = uniforms[len(laid_out)]
            laid_out.append((first, behind, length))
            first += used(behind - first, pair) if used else behind - first
    return laid_out


class Passage(Sequence[Ids]):
    """Sentences of a stream, taken out of it when somebody asks for them."""

    def __init__(self, ids: Ids, edges: Ids, first: int, last: int) -> None:
        self._ids, self._edges, self._first, self._last = ids, edges, first, last

    def __len__(self) -> int:
        return self._last - self._first

    @overload
    def __getitem__(self, place: int) -> Ids: ...
    @overload
    def __getitem__(self, place: slice) -> list[Ids]: ...
    def __getitem__(self, place: int | slice) -> Ids | list[Ids]:
        if isinstance(place, slice):
            return [self[n] for n in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        start, end = self._edges[self._first + place : self._first + place + 2]
        return self._ids[start:end].astype(np.int64)


@lru_cache(maxsize=4)
def shuffled(seed: int, epoch: int, n: int) -> Ids:
    """In which order an epoch reads its ``n`` rows: (n,)."""
    return np.random.default_rng([seed, epoch, n]).permutation(n)


def shuffled_in_stretches(seed: int, n: int, stretch: int, places: Ids) -> Ids:
    """Which of ``n`` rows are read at these places (B,), if each ``stretch`` of rows is shuffled and read before the
    next."""
    rows = np.empty_like(places)
    for number in np.unique(places // stretch).tolist():
        within = places // stretch == number
        order = shuffled(seed, number, min(stretch, n - number * stretch))
        rows[within] = number * stretch + order[places[within] % stretch]
    return rows
