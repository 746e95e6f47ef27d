"""N-gram masking: hide runs of one, two or three whole words, a longer run less often.

A run of n words is drawn with a chance in proportion to 1/n. As in ALBERT's code, a run that is longer than what is
left of the share loses words until it fits, one that would overlap another is left out, and each token is masked, made
random or kept by a draw of its own. That code lets a run go on behind a [SEP]; here it ends there.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Rates
from lab.masking import choose_grams, expected_in_words
from lab.noise import Dice
from lab.objectives.mlm import Mlm, blanked, shares
from lab.settings import knob
from lab.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Ngrams(Mlm):
    """How much is asked, in how long runs, and what stands in its place."""

    longest: int = knob(3, "Words in a span, at most", "片段最多几个词", low=1, high=10)

    @property
    def lengths(self) -> tuple[float, ...]:
        """The chances of runs of one, two, ... words: (N,)."""
        # p(n) ~ 1/n: mostly single words, so that the task stays solvable, and some longer runs, so that neighbours do
        # not give a word away.
        parts = 1 / np.arange(1, self.longest + 1)
        return tuple((parts / parts.sum()).tolist())


def asked_of(ids: NDArray[np.int64], s: Ngrams, vocabulary: Vocabulary) -> tuple[float, float] | None:
    """How many of the ids (T,) are asked on average, and the standard deviation, where there is a formula."""
    return expected_in_words(vocabulary.words(ids[None])[0], s.share, s.longest)


@OBJECTIVES.add(
    "ngram",
    title="N-gram masking",
    zh=("n 元掩码", "掩码一到三个词的 n 元组，越长越少见。"),
    paper="Lan et al. 2019, section 4.1",
    settings=Ngrams,
    traits={"whole"},
    stage="token",
    learnt_by=("ALBERT",),
    frame="bounded",
    rates=Rates(shares=shares, asked=asked_of),
    order=1.4,
)
def ngram(ids: NDArray[np.int64], s: Ngrams, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Masks n-grams of one, two or three whole words, longer ones less often."""
    asked = choose_grams(vocabulary.words(ids), s.lengths, s.share, dice)  # (B, T)
    return blanked(ids, asked, s, vocabulary, dice)
