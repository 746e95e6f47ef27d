"""Prefix language modelling: the first part of a text is seen whole, and the rest is predicted token by token.

Where the prefix ends is drawn evenly for each text. Tokens of the prefix look at each other in both directions; each
later token sees the prefix and what stands between. As in T5's code neither part is ever empty, and only what comes
behind the prefix is asked.

B rows   T tokens   n tokens of one text
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings
from lab.noise import Dice
from lab.settings import SettingsError, knob
from lab.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Prefix(ObjectiveSettings):
    """How much of a text is given."""

    least: float = knob(
        0.0, "Shortest prefix, as a share of the text", "最短前缀占文本的比例", low=0.0, high=1.0, step=0.05
    )
    most: float = knob(
        1.0, "Longest prefix, as a share of the text", "最长前缀占文本的比例", low=0.0, high=1.0, step=0.05
    )
    dynamic: bool = knob(True, "New cuts in every epoch", "每轮重新切分")
    copies: int = knob(1, "If drawn once: copies used in turn", "只抽一次时：轮流使用的副本数", low=1, high=100)

    def check(self) -> None:
        if self.least > self.most:
            raise SettingsError(
                f"least {self.least:g} is more than most {self.most:g}",
                f"最短前缀的比例 {self.least:g} 大于最长前缀的比例 {self.most:g}",
            )


def lengths(n: NDArray[np.int64], s: Prefix, uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many of ``n`` tokens are given: (B,). At least one is, and at least one is not."""
    low = np.clip(np.floor(s.least * n), 1, np.maximum(n - 1, 1))
    high = np.clip(np.floor(s.most * n), low, np.maximum(n - 1, 1))
    return (low + np.floor(uniforms * (high - low + 1))).astype(np.int64)


@OBJECTIVES.add(
    "prefix_lm",
    title="Prefix language modelling",
    zh=("前缀语言模型", "前一部分两侧都能看，其余部分从左到右逐个预测。"),
    paper="Raffel et al. 2019, section 3.2.1",
    settings=Prefix,
    traits={"visible"},
    stage="token",
    learnt_by=("UniLM",),
    frame="plain",
    order=2.2,
    left_to_right=True,
    given="all",
)
def prefix_lm(ids: NDArray[np.int64], s: Prefix, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Reads a prefix in both directions and predicts every token of the rest from those before it."""
    place, real = np.arange(ids.shape[1]), ids != vocabulary.pad  # (T,), (B, T)
    # Where the prefix ends is drawn anew for each row: the model must be able to go on from anywhere.
    given = place < lengths(real.sum(1), s, dice.random(1)[:, 0])[:, None]  # (B, T)
    asked = np.zeros_like(real)
    # Inside the prefix all see all: asked there, a token would find its answer by looking.
    asked[:, :-1] = real[:, :-1] & real[:, 1:] & ~given[:, 1:]
    return Exercise(
        shown=ids.copy(),
        asked=asked,
        answers=np.roll(ids, -1, axis=1),
        following=True,
        visible=given[:, None, :] | (place <= place[:, None]),
        real=real,
    )
