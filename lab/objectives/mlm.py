"""Masked language modelling (masked language modeling, MLM): hide some tokens, and ask for them from the text on both
sides.

BERT's own code takes max(1, round(0.15 n)) positions; this file takes fairseq's floor(0.15 n + u), u uniform in [0, 1).
Here n counts the ordinary tokens, in both of theirs the special ones at either end, too. BERT draws random tokens from
the whole vocabulary, this file and fairseq only from ordinary ones.

The masking rate is ``share``. Dynamic masking draws new masks in every epoch (RoBERTa), static masking draws them once
(BERT's prepared data): the same masking with and without the epoch in the seed.

B rows   T tokens   N asked tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Masking, Rates, Shares
from lab.masking import choose
from lab.noise import Dice
from lab.settings import SettingsError, knob
from lab.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Mlm(Masking):
    """How much is asked, and what stands in its place. What is neither masked nor random is left as it is."""

    mask: float = knob(0.8, "Targets replaced by [MASK]", "其中换成 [MASK] 的比例", low=0.0, high=1.0, step=0.05)
    random: float = knob(
        0.1, "Targets replaced by a random token", "目标中换成随机词元的比例", low=0.0, high=1.0, step=0.05
    )
    dynamic: bool = knob(True, "New masks in every epoch", "每轮重新掩码")
    copies: int = knob(1, "Static masking: copies used in turn", "静态掩码：轮流使用的副本数", low=1, high=100)

    def check(self) -> None:
        if self.mask + self.random > 1 + 1e-9:
            raise SettingsError(
                f"mask {self.mask:g} and random {self.random:g} add up to more than 1",
                f"换成 [MASK] 的比例 {self.mask:g} 与换成随机词元的比例 {self.random:g} 之和大于 1",
            )


def shares(s: Mlm) -> Shares:
    """What is asked, and what becomes of it."""
    return Shares(asked=s.share, masked=s.mask, random=s.random)


@OBJECTIVES.add(
    "mlm",
    title="Masked language modelling",
    zh=("掩码语言模型", "掩码一部分词元，根据两侧的文字预测它们。"),
    paper="Devlin et al. 2018, section 3.1",
    settings=Mlm,
    traits={"whole"},
    stage="token",
    frame="bounded",
    rates=Rates(shares=shares),
    order=1,
)
def mlm(ids: NDArray[np.int64], s: Mlm, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Masks some tokens and predicts them from the text on both sides."""
    # Few enough that a gap has neighbours to be told from, enough that a step teaches something: 15 % is BERT's
    # compromise; larger models stand 40 % (Wettig et al. 2022).
    asked = choose(~vocabulary.is_special(ids), s.share, dice)  # (B, T)
    return blanked(ids, asked, s, vocabulary, dice)


def blanked(
    ids: NDArray[np.int64],
    asked: NDArray[np.bool_],
    s: Mlm,
    vocabulary: Vocabulary,
    dice: Dice,
    draw: NDArray[np.float64] | None = None,
) -> Exercise:
    """The exercise to say what stands where it is asked, most of that masked; ``draw`` (N,) decides what else, where
    not each token has one of its own."""
    # 80/10/10: the mask is never seen after pretraining, so that some of the asked tokens are shown as they are, and
    # some as another token. No token can then be trusted, and each must be understood from its neighbours.
    places, shown, t = np.flatnonzero(asked), ids.copy(), ids.shape[1]  # (N,) and (B, T)
    draw = dice.random(t, places) if draw is None else draw
    other = vocabulary.ordinary[dice.integers(0, len(vocabulary.ordinary), t, places)]  # (N,)
    kept = np.where(draw < s.mask + s.random, other, ids.take(places))
    shown.put(places, np.where(draw < s.mask, vocabulary.mask, kept))
    # Asked are all that were chosen, also those that still stand as they were; the loss is at these places only.
    return Exercise(shown=shown, asked=asked, answers=ids, visible="all")
