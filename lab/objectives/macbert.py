"""Masked language modelling as correction: put similar words in the place of words, and ask for the true ones.

There is no [MASK], which a model would never meet again behind pretraining. Whole words are asked, in runs of up to
four. As in the paper similar words are those whose word2vec vectors point the same way, if the tokenizer was told them
by a run that learnt such vectors; a token without any gives way to a random one. Where nobody told it, they are those
that are spelt alike, next to a token in the alphabet (in Chinese: the same first character, or the same radical). The
paper's toolkit knows words, here tokens take the place of tokens of their kind; and the tokenizer's blanks and Chinese
tokens say where words begin, not a segmenter of Chinese.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Masking, Rates, Shares
from lab.masking import choose_words, expected_in_words, together
from lab.noise import Dice
from lab.settings import SettingsError, knob
from lab.vocabulary import Vocabulary

LENGTHS = (0.4, 0.3, 0.2, 0.1)  # chances of runs of one to four words


@dataclass(frozen=True, kw_only=True)
class Correction(Masking):
    """How much is asked, and what stands in its place. What is neither similar nor random is left as it is."""

    similar: float = knob(
        0.8, "Targets replaced by a similar word", "目标中换成近义词的比例", low=0.0, high=1.0, step=0.05
    )
    random: float = knob(
        0.1, "Targets replaced by a random token", "目标中换成随机词元的比例", low=0.0, high=1.0, step=0.05
    )
    dynamic: bool = knob(True, "New words in every epoch", "每轮重新替换")
    copies: int = knob(1, "Static masking: copies used in turn", "静态掩码：轮流使用的副本数", low=1, high=100)

    def check(self) -> None:
        if self.similar + self.random > 1 + 1e-9:
            raise SettingsError(
                f"similar {self.similar:g} and random {self.random:g} add up to more than 1",
                f"换成近义词的比例 {self.similar:g} 与换成随机词元的比例 {self.random:g} 之和大于 1",
            )


@OBJECTIVES.add(
    "macbert",
    title="Masked language modelling as correction",
    zh=("纠错式掩码语言模型", "不用 [MASK]，而用相近的词替换一部分词，再预测原词。"),
    paper="Cui et al. 2020, section 3.1",
    settings=Correction,
    traits={"visible"},
    stage="token",
    frame="bounded",
    likens=True,
    order=3,
    rates=Rates(
        shares=lambda s: Shares(asked=s.share, similar=s.similar, random=s.random),
        asked=lambda ids, s, vocabulary: expected_in_words(vocabulary.words(ids[None])[0], s.share),
        draws="word",
    ),
)
def macbert(ids: NDArray[np.int64], s: Correction, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Replaces words by similar ones instead of [MASK] and predicts the true ones."""
    tokens = ids.shape[1]
    # [MASK] never occurs when the model is fine-tuned: a similar word does, and the model must notice by meaning.
    words = vocabulary.words(ids)  # (B, T)
    asked = choose_words(words, LENGTHS, s.share, dice)  # (B, T)
    draw = together(dice.random(tokens), words)  # (B, T)
    other = vocabulary.ordinary[dice.integers(0, len(vocabulary.ordinary), tokens)]  # (B, T)
    near = _similar(ids, vocabulary, dice)
    near = np.where(near < 0, other, near)  # where nothing is similar, a random token
    disturbed = np.where(draw < s.similar, near, np.where(draw < s.similar + s.random, other, ids))  # (B, T)
    return Exercise(shown=np.where(asked, disturbed, ids), asked=asked, answers=ids, visible="all")


def _similar(ids: NDArray[np.int64], vocabulary: Vocabulary, dice: Dice) -> NDArray[np.int64]:
    """One of the tokens that are alike, each as likely; -1 where there is none: (B, T)."""
    alike = vocabulary.alike[ids]  # (B, T, N)
    there = alike >= 0
    which = np.floor(dice.random(ids.shape[1]) * there.sum(-1)).astype(np.int64)  # (B, T)
    hit = there & (there.cumsum(-1) == which[..., None] + 1)  # (B, T, N)
    return np.where(hit.any(-1), np.take_along_axis(alike, hit.argmax(-1)[..., None], -1)[..., 0], -1)
