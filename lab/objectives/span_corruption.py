"""Span corruption: short stretches give way to a mark each, and the decoder writes what stood behind each mark.

Counts are exact: of n tokens round(0.15 n) are missing, in round(missing / 3) stretches, so that 568 tokens always give
a source of 512 and a target of 114. As in the published code, and unlike the paper's figure, no mark closes the target.

B rows   T tokens
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise, Writing, written
from lab.catalog import OBJECTIVES
from lab.entries import Decoding, ObjectiveSettings, Packing, Rates
from lab.noise import Dice
from lab.settings import knob
from lab.vocab import Vocabulary

Ids = NDArray[np.int64]
MARKS = tuple(f"<extra_id_{number}>" for number in range(100))  # the first of them has the highest id


@dataclass(frozen=True, kw_only=True)
class SpanCorruption(ObjectiveSettings):
    """How much is missing, and in stretches of what length."""

    rate: float = knob(0.15, "Share of tokens missing", "缺失词元的比例", low=0.01, high=0.9, step=0.01)
    span: float = knob(3.0, "Mean length of a gap", "空缺的平均长度", low=1.0, high=50.0, step=0.5)
    dynamic: bool = knob(True, "New gaps in every epoch", "每轮重新挖空")
    copies: int = knob(1, "If drawn once: copies used in turn", "只抽一次时：轮流使用的副本数", low=1, high=100)


def counts(n: int, s: SpanCorruption) -> tuple[int, int]:
    """How many of ``n`` tokens are missing, and in how many stretches. Halves are rounded to the even number."""
    if n < 2:
        return 0, 0
    missing = min(max(round(n * s.rate), 1), n - 1)
    return missing, min(max(round(missing / s.span), 1), n - missing, len(MARKS))


def room(context: int, s: SpanCorruption) -> int:
    """The longest text of which source and target, each with its end, fit into the context."""

    def fits(n: int) -> bool:
        missing, gaps = counts(n, s)
        wanted = max(round(missing / s.span), 1)
        return max(n - missing, missing) + gaps + 1 <= context and wanted <= len(MARKS)

    n = 2
    while fits(n + 1):
        n += 1
    return n


def marks(vocabulary: Vocabulary) -> Ids:
    """The ids of the marks, in the order in which a text uses them."""
    return np.array([vocabulary.role(name) for name in MARKS], dtype=np.int64)


def shrunk(ids: Ids, gone: NDArray[np.bool_], names: Ids) -> Ids:
    """The ids with a mark in the place of each run of those that are ``gone``: (T,) or fewer."""
    first = gone & ~np.concatenate([[False], gone[:-1]])  # where a run begins
    marked = np.where(first, names[np.minimum(first.cumsum() - 1, len(names) - 1)], ids)
    return marked[first | ~gone]


def read(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text with masks as the encoder reads it: each run of masks is one mark, and the end follows."""
    return np.append(shrunk(ids, ids == vocabulary.mask, marks(vocabulary)), vocabulary.separate)


def opening(source: Ids, vocabulary: Vocabulary) -> Ids:
    """What the decoder has before it writes: as published, padding."""
    return np.array([vocabulary.pad], dtype=np.int64)


def gaps(source: Ids, answer: Ids, vocabulary: Vocabulary) -> list[range]:
    """Where the answer says what each mark of the source stands for; at its end, empty, for one that it leaves out."""
    names, end = marks(vocabulary), len(answer)
    places = [*np.flatnonzero(np.isin(answer, names)).tolist(), end]
    said = {int(answer[at]): range(at + 1, behind) for at, behind in reversed([*pairwise(places)])}
    return [said.get(name, range(end, end)) for name in source[np.isin(source, names)].tolist()]


@OBJECTIVES.add(
    "span_corruption",
    title="Span corruption",
    zh=("片段损坏", "几个片段各换成一个哨兵标记，由解码器写出这些片段。"),
    paper="Raffel et al. 2019, section 3.1.4",
    settings=SpanCorruption,
    traits={"writes"},
    stage="token",
    frame="plain",
    order=20,
    rates=Rates(missing=lambda ids, s, vocabulary: counts(len(ids), s)[0] / len(ids)),
    decoding=Decoding(writing=Writing(read=read, opening=opening, gaps=gaps, says=MARKS)),
    packing=Packing(marks=MARKS[::-1], room=room),
)
def span_corruption(ids: Ids, s: SpanCorruption, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Replaces spans by sentinels, one mark each; the decoder writes the spans."""
    names, t = marks(vocabulary), ids.shape[1]
    sources, targets = [], []
    for row, kept_luck, gone_luck in zip(ids, dice.random(t - 1), dice.random(t - 1), strict=True):
        text = row[row != vocabulary.pad]
        gone = drawn(len(text), s, kept_luck, gone_luck)
        sources.append(np.append(shrunk(text, gone, names), vocabulary.separate))
        targets.append(np.append(shrunk(text, ~gone, names), vocabulary.separate))
    return written(sources, targets, [vocabulary.pad] * len(ids), vocabulary.pad)


def drawn(n: int, s: SpanCorruption, kept_luck: Sequence[float], gone_luck: Sequence[float]) -> NDArray[np.bool_]:
    """Which of ``n`` tokens are missing: (n,). What stays and what goes take turns, and the first token stays."""
    missing, gaps = counts(n, s)
    if not gaps:
        return np.zeros(n, dtype=bool)
    kept, gone = parts(n - missing, gaps, kept_luck), parts(missing, gaps, gone_luck)
    return np.repeat(np.tile([False, True], gaps), np.column_stack([kept, gone]).ravel())


def parts(n: int, count: int, luck: Sequence[float]) -> Ids:
    """``n`` things in a row, cut into ``count`` parts of at least one; every way to do so is as likely: (count,)."""
    cuts = np.sort(np.argsort(luck[: n - 1], kind="stable")[: count - 1]) + 1
    return np.diff(np.concatenate([[0], cuts, [n]]))
