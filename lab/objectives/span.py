"""Span masking: hide spans of words, most of them short, and each of them in one way.

How many words a span has follows a geometric law, cut off at ten: from each word it goes on with chance 1 - p. As in
the authors' code it begins with the word of a random token, the last one is cut, if need be within a word, so that
the share is met exactly, and those that touch are one. One draw masks a whole span, makes it random or keeps it. The
code's own default is p = 0.3; the paper has 0.2, which makes 3.8 words on average. The paper's second question, what a
span says if only its two neighbours are known, is asked by SpanBERT's own head.

B rows   T tokens
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Rates
from lab.masking import together
from lab.noise import Dice
from lab.objectives.mlm import Mlm, blanked, shares
from lab.settings import knob
from lab.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Spans(Mlm):
    """How much is asked, in how long spans, and what stands in their place."""

    p: float = knob(0.2, "Span length: p of the geometric law", "片段长度：几何分布的 p", low=0.01, high=1.0, step=0.01)
    longest: int = knob(10, "Words in a span, at most", "片段最多几个词", low=1, high=50)

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The chances of spans of one, two, ... words: (N,)."""
        parts = (1 - self.p) ** np.arange(self.longest)
        return parts / parts.sum()


def share_of(n: int, s: Spans) -> int:
    """How many of n tokens are asked: the share, rounded up."""
    return ceil(s.share * n - 1e-9)


def asked_of(ids: NDArray[np.int64], s: Spans, vocabulary: Vocabulary) -> tuple[float, float]:
    """How many of the ids (T,) are asked on average, and the standard deviation: chance has no part in it."""
    return share_of(int((~vocabulary.is_special(ids)).sum()), s), 0.0


@OBJECTIVES.add(
    "span",
    title="Span masking",
    zh=("片段掩码", "掩码连续的几个词，大多很短；整段只做一次 80/10/10 抽签。"),
    paper="Joshi et al. 2019, section 3.1",
    settings=Spans,
    traits={"whole"},
    stage="token",
    frame="bounded",
    boundary=True,
    order=1.6,
    rates=Rates(shares=shares, asked=asked_of, draws="span"),
)
def span(ids: NDArray[np.int64], s: Spans, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Masks spans of words, mostly short; one 80/10/10 draw decides for a whole span."""
    asked = spans(vocabulary.words(ids), s, dice)  # (B, T)
    draw = together(dice.random(ids.shape[1]), asked.astype(np.int64))[asked]  # (N,)
    return blanked(ids, asked, s, vocabulary, dice, draw)


def spans(words: NDArray[np.int64], s: Spans, dice: Dice) -> NDArray[np.bool_]:
    """Which tokens the spans cover: (B, T). ``words`` (B, T) numbers their words, -1 at special tokens."""
    b, t = words.shape
    keys, uniforms = dice.random(t), dice.random(t)
    # of a span from each token on: (B, T)
    lengths = 1 + np.searchsorted(np.cumsum(s.lengths)[:-1], uniforms, side="right")
    special, rows, places = words < 0, np.arange(b), np.arange(t)
    stops = np.minimum.accumulate(np.where(special, places, t)[:, ::-1], axis=1)[:, ::-1]  # (B, T) no span goes past it
    left = np.array([share_of(n, s) for n in (~special).sum(axis=1).tolist()])  # (B,)
    chosen = np.zeros((b, t), dtype=bool)
    for at in np.where(special, np.inf, keys).argsort(axis=1, kind="stable").T:  # (B,) a token that nothing covers yet
        first = np.where(chosen[rows, at] | special[rows, at], t + 1, words[rows, at])[:, None]  # (B, 1) its word
        inside = (words >= first) & (words < first + lengths[rows, at][:, None]) & (places < stops[rows, at][:, None])
        new = inside & ~chosen
        new &= new.cumsum(axis=1) <= left[:, None]
        chosen |= new
        left -= new.sum(axis=1)
        if not left.any():
            break
    return chosen
