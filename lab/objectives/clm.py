"""Causal language modelling: predict every next token from the tokens before it.

Nothing is disturbed. What makes it an exercise is who may look at whom: a token sees itself and what stands to its
left. The end of a text is a token to be predicted like any other; padding is not.

B rows   T tokens
"""

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings
from lab.noise import Dice
from lab.settings import Settings
from lab.vocabulary import Vocabulary


@OBJECTIVES.add(
    "clm",
    title="Causal language modelling",
    zh=("因果语言模型", "只看左边，逐个预测下一个词元。"),
    paper="Radford et al. 2018, section 3.1",
    settings=ObjectiveSettings,
    traits={"causal"},
    stage="token",
    frame="plain",
    order=2,
    left_to_right=True,
)
def clm(ids: NDArray[np.int64], s: Settings, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Predicts every next token from the tokens before it."""
    real = ids != vocabulary.pad  # (B, T)
    asked = np.zeros_like(real)
    # One pass over a row of T tokens asks T - 1 questions: the causal mask makes as many exercises of it. Masked
    # language modelling asks a seventh of that, one reason why it takes more steps. A run has rows of T + 1 tokens here
    # and shows T of them, as nanoGPT does, so that its last place is taught, too (Run.asks_last); transformers'
    # run_clm.py does not.
    asked[:, :-1] = real[:, :-1] & real[:, 1:]
    answers = np.roll(ids, -1, axis=1)  # (B, T); the last cell of a row is never asked
    return Exercise(shown=ids.copy(), asked=asked, answers=answers, following=True, visible="causal")
