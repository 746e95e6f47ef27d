"""Bidirectional language modelling: which token stands here, judged once from the left and once from the right?

Nothing is disturbed. Each token is hidden from those that are asked about it, and every token but the first and the
last is asked, so that there is something to either side.

B rows   T tokens
"""

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings
from lab.noise import Dice
from lab.settings import Settings
from lab.vocabulary import Vocabulary


def asking(ids: NDArray[np.int64], s: Settings, vocabulary: Vocabulary) -> Exercise:
    """How a trained model is asked: every gap, from both sides."""
    return Exercise(shown=ids, asked=ids == vocabulary.mask, answers=ids, visible=_others(ids.shape[1]))


@OBJECTIVES.add(
    "bilm",
    title="Bidirectional language modelling",
    zh=("双向语言模型", "每个词元预测两遍：一次凭左边的词元，一次凭右边的词元。"),
    paper="Peters et al. 2018, section 3.1",
    settings=ObjectiveSettings,
    traits={"directions"},
    stage="token",
    frame="plain",
    order=2.5,
    decoding=Decoding(reading=asking),
)
def bilm(ids: NDArray[np.int64], s: Settings, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Predicts every token twice: from those to its left, and from those to its right."""
    real = ids != vocabulary.pad  # (B, T)
    asked = np.zeros_like(real)
    # At either end one of the two readers would have nothing to go by.
    asked[:, 1:-1] = real[:, :-2] & real[:, 1:-1] & real[:, 2:]
    return Exercise(shown=ids.copy(), asked=asked, answers=ids, visible=_others(ids.shape[1]))


def _others(n: int) -> NDArray[np.bool_]:
    """Every token sees all but itself: (n, n)."""
    return ~np.eye(n, dtype=np.bool_)
