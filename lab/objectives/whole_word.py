"""Whole-word masking: hide all tokens of a word or none, so that no word can be guessed from its own pieces.

It is masked language modelling but for what is chosen. As in BERT's code, words are visited in random order, one that
is longer than what is left of the share is passed over, and each of its tokens is masked, made random or kept by a draw
of its own. That code takes pieces with "##" for the rest of a word; here the tokenizer's kind does not matter. A word
begins at a blank, at punctuation and at every Chinese token. Chinese writes no blanks: which of its tokens make up a
word is told by a list, the longest word first, where the Chinese models' authors have a segmenter.

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
from lab.objectives.parts.phrase_list import listed_in, units_of
from lab.settings import SettingsError, knob
from lab.vocabulary import Vocabulary

MOST = 500  # words in a list
USUAL = (
    "不得不, 一个, 五个, 小时, 小红, 背包, 来到, 车站, 火车, 终于, 座位, 老人, 春天, 早上, 晚上, 花园, 朋友, 医生, "
    "老师, 孩子, 面包, 苹果, 学校, 市场, 小镇, 邮局, 今天, 明天, 昨天, 我们, 你们, 他们, 自己, 因为, 所以, 但是, 可是"
)


@dataclass(frozen=True, kw_only=True)
class WholeWords(Mlm):
    """How much is asked, what stands in its place, and which Chinese tokens are a word together."""

    words: str = knob(
        USUAL, "Chinese words of several tokens, with commas between", "由几个词元组成的中文词，用逗号隔开"
    )

    @property
    def listed(self) -> tuple[str, ...]:
        """The words, the longest first."""
        return listed_in(self.words)

    def check(self) -> None:
        super().check()
        if len(self.listed) > MOST:
            raise SettingsError(f"give at most {MOST:,} words", f"最多给出 {MOST:,} 个词")


def asked_of(ids: NDArray[np.int64], s: WholeWords, vocabulary: Vocabulary) -> tuple[float, float] | None:
    """How many of the ids (T,) are asked on average, and the standard deviation, where there is a formula."""
    words, _ = units_of(ids[None], s.listed, vocabulary)
    return expected_in_words(words[0], s.share)


@OBJECTIVES.add(
    "whole_word",
    title="Whole-word masking",
    zh=("全词掩码", "要掩码就掩码一个词的全部词元，不能靠词的一部分猜出另一部分。"),
    paper="Cui et al. 2019, section 2.1",
    settings=WholeWords,
    traits={"whole"},
    stage="token",
    learnt_by=("BERT-wwm",),
    frame="bounded",
    rates=Rates(shares=shares, asked=asked_of),
    order=1.2,
)
def whole_word(ids: NDArray[np.int64], s: WholeWords, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Masks all tokens of a word or none, so that no word can be guessed from its own pieces."""
    # With pieces masked singly "##ling" gives "sap" away, and the model learns spelling instead of meaning.
    words, _ = units_of(ids, s.listed, vocabulary)  # (B, T)
    asked = choose_grams(words, (1.0,), s.share, dice)  # (B, T)
    return blanked(ids, asked, dice.random(ids.shape[1]), s, vocabulary, dice)
