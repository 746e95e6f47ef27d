"""Whole-word masking: hide all tokens of a word or none, so that no word can be guessed from its own pieces.

It is masked language modelling but for what is chosen. As in BERT's code, words are visited in random order, one that
is longer than what is left of the share is passed over, and each of its tokens is masked, made random or kept by a draw
of its own. That code takes pieces with "##" for the rest of a word; here the tokenizer's kind does not matter. A word
begins at a blank, at punctuation and at every Chinese token, where the Chinese models' authors have a segmenter.

B rows   T tokens
"""

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.noise import Dice, choose_grams
from lab.objectives.mlm import Mlm, blanked
from lab.vocab import Vocabulary


@OBJECTIVES.add(
    "whole_word",
    title="Whole-word masking",
    zh=("全词遮盖", "要遮就遮住一个词的全部词元，不能靠词的一部分猜出另一部分。"),
    paper="Cui et al. 2019, section 2.1",
    settings=Mlm,
    traits={"whole"},
    stage="token",
    frame="bounded",
    order=1.2,
)
def whole_word(ids: NDArray[np.int64], s: Mlm, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Hides all tokens of a word or none, so that no word can be guessed from its own pieces."""
    asked = choose_grams(vocabulary.words(ids), (1.0,), s.rate, dice)  # (B, T)
    return blanked(ids, asked, dice.random(ids.shape[1]), s, vocabulary, dice)
