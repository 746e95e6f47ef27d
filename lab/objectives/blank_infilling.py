"""Blank infilling: short spans become one [MASK] each, and what stood there is written, span by span.

Part A is the text with its blanks, which all may see; part B holds the spans in random order, each read from left
to right behind the ones before it. A token has two positions: in part B that of its blank, and where it stands inside.
The paper draws span after span until 15 percent are gone, and so does this file; the authors' code draws all
lengths first and places them then. As there, a span has at most 39 tokens and two blanks never touch. Two more kinds
of exercise have a mask of their own: the end of a text is gone, or whole sentences are.

B rows   T tokens   A tokens of part A   n tokens of one text
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Packing, Rates
from lab.noise import Dice
from lab.padding import padded
from lab.settings import SettingsError, knob
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
START, END, LONG, SENTENCE = SPECIAL_TOKENS = ("[SOP]", "[EOP]", "[gMASK]", "[sMASK]")
LONGEST = 39  # tokens of a short span


@dataclass(frozen=True, kw_only=True)
class BlankInfilling(ObjectiveSettings):
    """How much is gone, in spans of what length, and how many texts lose their end or whole sentences instead."""

    share: float = knob(
        0.15, "Masking rate: share of tokens removed", "掩码率：去掉的词元的比例", low=0.01, high=0.9, step=0.01
    )
    span: float = knob(
        3.0, "Span length: mean of the Poisson law", "片段长度：泊松分布的均值", low=0.5, high=20.0, step=0.5
    )
    document: float = knob(
        0.0, "Share of texts whose end is removed", "去掉后部的文本比例", low=0.0, high=1.0, step=0.05
    )
    sentence: float = knob(
        0.0, "Share of texts with sentences removed", "去掉整句的文本比例", low=0.0, high=1.0, step=0.05
    )
    dynamic: bool = knob(True, "New spans in every epoch", "每轮重新抽取片段")
    copies: int = knob(1, "If drawn once: copies used in turn", "只抽一次时：轮流使用的副本数", low=1, high=100)

    def check(self) -> None:
        if self.document + self.sentence > 1 + 1e-9:
            raise SettingsError(
                f"document {self.document:g} and sentence {self.sentence:g} add up to more than 1",
                f"去掉后部的文本比例 {self.document:g} 与去掉整句的文本比例 {self.sentence:g} 之和大于 1",
            )


def goal(n: int, s: BlankInfilling) -> int:
    """How many of ``n`` tokens must be gone at the least."""
    return max(1, int(s.share * n))


def room(context: int, s: BlankInfilling) -> int:
    """The longest text that fits into the context with two special tokens for each span, were they all of one token."""
    return max(n for n in range(1, context) if n + 2 * goal(n, s) <= context)


def missing(ids: Ids, s: BlankInfilling, vocabulary: Vocabulary) -> float:
    """The mean share of a text (T,) that is gone, where no span has to be shortened."""
    n = len(ids)
    chances, least = np.diff(_lengths(s.span), prepend=0), goal(n, s)
    reached = np.zeros(least + LONGEST)  # the chance that so many are gone behind some span
    reached[0] = 1
    for gone in range(least):
        reached[gone + 1 : gone + 1 + LONGEST] += reached[gone] * chances
    blanks = np.minimum(least + np.arange(LONGEST), n) / max(n, 1)
    ends = 1 - np.floor(n * np.linspace(0, 0.5, 1000, endpoint=False)) / max(n, 1)
    short = 1 - s.document - s.sentence
    share = short * reached[least:] @ blanks + s.document * ends.mean()
    if s.sentence:
        lost = [sentences(ids, s, vocabulary, uniforms) for uniforms in Dice(0, np.arange(200)).random(n)]
        share += s.sentence * sum(gap.stop - gap.start for slices in lost for gap in slices) / 200 / max(n, 1)
    return float(share)


def filling(text: Ids, written: Sequence[Ids], vocabulary: Vocabulary) -> Exercise:
    """The exercise as it stands while the blanks of ``text`` (n,) are being written, one by one: each of ``written`` is
    a span, the last of them unfinished, and what comes next in it is asked."""
    row = _Row.of(text, np.flatnonzero(text == vocabulary.mask)[: len(written)], written, vocabulary)
    asked = np.arange(len(row.shown)) == len(row.shown) - 1
    return _padded([row], [asked], vocabulary)


@OBJECTIVES.add(
    "blank_infilling",
    title="Blank infilling",
    zh=("空白填充", "几个片段各换成一个 [MASK]，再逐个词元（自回归地）写回来。"),
    paper="Du et al. 2021, section 2.1",
    settings=BlankInfilling,
    traits={"visible", "positions"},
    stage="token",
    frame="plain",
    order=25,
    rates=Rates(missing=missing),
    decoding=Decoding(filling=filling, end=END),
    packing=Packing(special_tokens=SPECIAL_TOKENS, room=room),
)
def blank_infilling(ids: Ids, s: BlankInfilling, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Replaces spans by one [MASK] each and writes them back token by token (autoregressively)."""
    most = goal(ids.shape[1], s)
    lengths, starts, order = (dice.random(most) for _ in range(3))  # (B, most) each
    cut = dice.random(2)  # (B, 2)
    picked = dice.random(ids.shape[1] if s.sentence else 0)  # (B, T)
    rows = []
    for n, row in enumerate(ids):
        text = row[row != vocabulary.pad]
        if cut[n, 0] < s.document:
            rows.append(_without_its_end(text, cut[n, 1], vocabulary))
            continue
        whole = cut[n, 0] < s.document + s.sentence
        special = vocabulary.is_special(text)
        gaps = sentences(text, s, vocabulary, picked[n]) if whole else drawn(~special, s, lengths[n], starts[n])
        # In random order, so that each blank is written knowing some of the others, before or behind it.
        shuffled = [gaps[k] for k in order[n, : len(gaps)].argsort()]
        rows.append(_with_blanks(text, shuffled, vocabulary.role(SENTENCE) if whole else vocabulary.mask, vocabulary))
    return _padded(rows, [row.inside > 0 for row in rows], vocabulary)


def drawn(
    words: NDArray[np.bool_], s: BlankInfilling, lengths: Sequence[float], starts: Sequence[float]
) -> list[slice]:
    """Stretches of ``words`` (n,), drawn one after another until enough is gone. One that fits nowhere is shortened."""
    gaps, left = list[slice](), goal(int(words.sum()), s)
    place, wanted = np.arange(len(words)), 1 + np.searchsorted(_lengths(s.span), lengths, side="right")
    free = np.minimum.accumulate(np.where(words, len(words), place)[::-1])[::-1] - place  # (n,) tokens from each on
    for length, uniform in zip(wanted.tolist(), starts, strict=True):
        length = min(length, int(free.max(initial=0)))
        if left <= 0 or not length:
            break
        places = np.flatnonzero(free >= length)
        at = int(places[int(uniform * len(places))])
        gaps.append(slice(at, at + length))
        before = max(at - 1, 0)
        free[before : at + length + 1] = 0
        free[:before] = np.minimum(free[:before], before - place[:before])
        left -= length
    return gaps


def sentences(text: Ids, s: BlankInfilling, vocabulary: Vocabulary, uniforms: Sequence[float]) -> list[slice]:
    """Whole sentences of ``text`` (n,), drawn one after another until enough is gone; what follows the last full stop
    is one, too, and no special token is part of any."""
    words = ~vocabulary.is_special(text)
    ends = [0, *(np.flatnonzero(vocabulary.stops(text)) + 1).tolist(), len(text)]
    inside = [np.flatnonzero(words[a:b]) + a for a, b in zip(ends[:-1], ends[1:], strict=True)]
    every = [slice(int(positions[0]), int(positions[-1]) + 1) for positions in inside if len(positions)]
    gaps, left = list[slice](), goal(int(words.sum()), s)
    for number in np.argsort(uniforms[: len(every)]).tolist():
        if left <= 0:
            break
        gaps.append(every[number])
        left -= every[number].stop - every[number].start
    return gaps


@lru_cache(maxsize=64)
def _lengths(mean: float) -> NDArray[np.float64]:
    """The chance that a span is no longer than 1, 2, ..., 39 tokens: Poisson's, of those lengths alone."""
    chances = np.array([mean**k / factorial(k) for k in range(1, LONGEST + 1)])
    return np.cumsum(chances / chances.sum())


@dataclass(frozen=True)
class _Row:
    """One exercise before it is padded. ``inside`` is 0 in part A and counts from 1 in each span."""

    shown: Ids  # (T,)
    answers: Ids  # (T,)
    place: Ids  # (T,)
    inside: Ids  # (T,)

    @classmethod
    def of(cls, text: Ids, places: Ids, spans: Sequence[Ids], vocabulary: Vocabulary) -> "_Row":
        """Part A is ``text`` (A,); each span belongs to the blank at one of the ``places``."""
        start, end = ([vocabulary.role(name)] for name in (START, END))
        counts = [len(span) + 1 for span in spans]
        return cls(
            # Part B is shown from the start token on and answered up to the end token: the same tokens, one place
            # apart.
            np.concatenate([text, *[part for span in spans for part in (start, span)]]).astype(np.int64),
            np.concatenate([text, *[part for span in spans for part in (span, end)]]).astype(np.int64),
            np.concatenate([np.arange(len(text)), np.repeat(places, counts)]).astype(np.int64),
            np.concatenate([np.zeros(len(text)), *[np.arange(1, count + 1) for count in counts]]).astype(np.int64),
        )


def _with_blanks(text: Ids, gone: Sequence[slice], mask: int, vocabulary: Vocabulary) -> _Row:
    kept = np.ones(len(text), dtype=bool)
    shown = text.copy()
    for gap in gone:
        # Whatever its length, one [MASK] stays of a span: how much is missing has to be learnt, too.
        kept[gap.start + 1 : gap.stop] = False
        shown[gap.start] = mask
    places = (kept.cumsum() - 1)[[gap.start for gap in gone]] if gone else np.zeros(0, dtype=np.int64)
    return _Row.of(shown[kept], places, [text[gap] for gap in gone], vocabulary)


def _without_its_end(text: Ids, uniform: float, vocabulary: Vocabulary) -> _Row:
    """Between half of a text and nearly all of it is gone, from some place to its end."""
    kept = int(len(text) * (1 - uniform) / 2)
    return _Row.of(np.append(text[:kept], vocabulary.role(LONG)), np.array([kept]), [text[kept:]], vocabulary)


def _padded(rows: Sequence[_Row], asked: Sequence[NDArray[np.bool_]], vocabulary: Vocabulary) -> Exercise:
    shown, real = padded([row.shown for row in rows], vocabulary.pad)
    answers, _ = padded([row.answers for row in rows], vocabulary.pad)
    place, _ = padded([row.place for row in rows], 0)
    inside, _ = padded([row.inside for row in rows], 0)
    chosen = np.zeros_like(real)
    chosen[real] = np.concatenate(asked)
    # Part A is seen by all, as by an encoder; in part B each token sees what was written before it, as in a decoder.
    # One stack is both, and only the mask knows.
    text = real & (inside == 0)  # part A
    return Exercise(
        shown=shown,
        asked=chosen,
        answers=answers,
        following=True,
        visible=text[:, None, :] | np.tri(real.shape[1], dtype=bool),
        real=real,
        positions=np.stack([place, inside], -1),
    )
