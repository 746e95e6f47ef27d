"""Replaced-token detection: fill gaps with guesses, then say of every token whether it is the true one.

This is the generator's half of the exercise, masked language modelling without random tokens; what a discriminator is
asked follows from the generator's guesses, and only the model knows them. In the authors' code 85 % of the asked tokens
are masked and the rest are left as they are; the paper has all masked.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Masking, Rates, Shares
from lab.masking import choose
from lab.noise import Dice
from lab.settings import knob
from lab.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Rtd(Masking):
    """How much the generator is asked, and how much of that it does not see. The rest is left as it is."""

    mask: float = knob(0.85, "Targets replaced by [MASK]", "其中换成 [MASK] 的比例", low=0.0, high=1.0, step=0.05)
    dynamic: bool = knob(True, "New masks in every epoch", "每轮重新掩码")
    copies: int = knob(1, "Static masking: copies used in turn", "静态掩码：轮流使用的副本数", low=1, high=100)


@OBJECTIVES.add(
    "rtd",
    title="Replaced-token detection",
    zh=("替换词元检测", "生成器填上掩码，判别器判断每个词元是否被替换。"),
    paper="Clark et al. 2020, section 2",
    settings=Rtd,
    traits={"visible", "detects"},
    stage="token",
    frame="bounded",
    rates=Rates(shares=lambda s: Shares(asked=s.share, masked=s.mask)),
    order=4,
)
def rtd(ids: NDArray[np.int64], s: Rtd, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """A generator fills the masks; a discriminator says of every token whether it was replaced."""
    asked = choose(~vocabulary.is_special(ids), s.share, dice)  # (B, T)
    # No random tokens: making wrong ones is the generator's trade, and it does so plausibly.
    hidden = asked & (dice.random(ids.shape[1]) < s.mask)  # (B, T)
    return Exercise(shown=np.where(hidden, vocabulary.mask, ids), asked=asked, answers=ids, visible="all")
