"""Phrase masking: hide the phrases and names of a list as wholes, and words where there is room left.

ERNIE finds phrases and entities with tools and knowledge bases of its own and learns in three stages, with words, then
phrases, then entities hidden. Here the list is the visitor's, and one exercise has it all: phrases come first, in
random order, and other whole words fill up the share. Where a text has none of the phrases, this is whole-word masking;
where it has some, one of them is hidden even if it is longer than the share. As in ERNIE's code each token is masked,
made random or kept by a draw of its own. A phrase is found by its spelling, whatever the tokenizer made of it.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Rates
from lab.masking import budget, filled, grams, together
from lab.noise import Dice
from lab.objectives.mlm import Mlm, blanked, shares
from lab.objectives.parts.phrase_list import listed_in, units_of
from lab.settings import SettingsError, knob
from lab.vocabulary import Vocabulary

MOST = 500  # phrases in a list
USUAL = "light bag, five hours, small town, post office, 背包, 五个小时, 小镇, 邮局, 哈尔滨, 黑龙江, 语言模型"


@dataclass(frozen=True, kw_only=True)
class Phrases(Mlm):
    """What is asked first, how much in all, and what stands in its place."""

    phrases: str = knob(USUAL, "Phrases and names, with commas between", "短语和名称，用逗号隔开")

    @property
    def listed(self) -> tuple[str, ...]:
        """The phrases, the longest first."""
        return listed_in(self.phrases)

    def check(self) -> None:
        super().check()
        if len(self.listed) > MOST:
            raise SettingsError(f"give at most {MOST} phrases", f"最多给出 {MOST} 个短语")


def asked_of(ids: NDArray[np.int64], s: Phrases, vocabulary: Vocabulary) -> tuple[float, float] | None:
    """How many of the ids (T,) are asked on average, and the standard deviation: the share, or a phrase if longer. None
    where words may be too long to make it up."""
    units, listed = units_of(ids[None], s.listed, vocabulary)
    n = int((units >= 0).sum())
    low = int(s.share * n)
    sizes = np.bincount(units[listed]) if listed.any() else np.ones(1, dtype=np.int64)  # of the phrase that comes first
    few, many = (np.maximum(sizes[sizes > 0], min(max(most, 1), n)) for most in (low, low + 1))
    part = s.share * n - low
    if not filled(units[0], int(max(few.max(), many.max()))):
        return None
    counts, chances = np.concatenate([few, many]), np.repeat([1 - part, part], len(few)) / len(few)
    mean = float(counts @ chances)
    return mean, float(np.sqrt((counts - mean) ** 2 @ chances))


@OBJECTIVES.add(
    "phrases",
    title="Phrase masking",
    zh=("短语掩码", "先整体掩码名单里的短语和名称，余下的份额掩码别的整词。"),
    paper="Sun et al. 2019, section 3.2",
    settings=Phrases,
    traits={"whole"},
    stage="token",
    learnt_by=("ERNIE",),
    frame="bounded",
    order=1.8,
    rates=Rates(shares=shares, asked=asked_of),
)
def phrases(ids: NDArray[np.int64], s: Phrases, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Masks whole phrases and names of a list (entity masking), and whole words for the rest of the masking rate."""
    units, listed = units_of(ids, s.listed, vocabulary)
    most, keys = budget(units, s.share, dice), dice.random(ids.shape[1])
    # Random keys decide the order; one less for what is listed, and all of it comes first.
    keys = together(keys, units) - listed  # what is listed is visited first
    first = np.take_along_axis(units, np.where(listed, keys, 0).argmin(axis=1, keepdims=True), axis=1)  # (B, 1)
    # At least one phrase goes, even where it is longer than the masking rate allows.
    most = np.where(listed.any(axis=1), np.maximum(most, (units == first).sum(axis=1)), most)
    asked = grams(units, np.ones_like(units), keys, most)  # (B, T)
    return blanked(ids, asked, s, vocabulary, dice)
