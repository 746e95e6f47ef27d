"""word2vec's context window (CBOW, skip-gram): which token stands in the middle of the few around it?

As in word2vec's code: each token's window reaches up to a distance that is drawn evenly for it, so that near
neighbours are seen oftener; and of very common tokens many are dropped before the windows are laid, so that those left
stand closer. The code keeps a token of share f with (sqrt(f / t) + 1) t / f, the paper with sqrt(t / f). No window
reaches into another document.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings
from lab.noise import Dice
from lab.settings import knob
from lab.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Window(ObjectiveSettings):
    """How far a window reaches, and how many common tokens are dropped."""

    reach: int = knob(5, "Window size: tokens to either side", "窗口大小：每侧的词元数", low=1, high=50)
    sample: float = knob(
        1e-3,
        "Subsampling threshold t, 0 for none",
        "高频词下采样的阈值 t，0 为不用",
        low=0,
        high=1,
    )
    dynamic: bool = knob(True, "New windows in every epoch", "每轮重新抽取窗口")
    copies: int = knob(1, "If drawn once: copies used in turn", "只抽一次时：轮流使用的副本数", low=1, high=100)


def asking(ids: NDArray[np.int64], s: Window, vocabulary: Vocabulary) -> Exercise:
    """How a trained model is asked: every gap by all tokens that a whole window holds."""
    place = np.arange(ids.shape[1])
    distance = np.abs(place[:, None] - place)
    visible = (distance > 0) & (distance <= s.reach)  # (T, T)
    return Exercise(shown=ids, asked=ids == vocabulary.mask, answers=ids, visible=visible)


@OBJECTIVES.add(
    "window",
    title="Skip-gram and CBOW",
    zh=("Skip-gram 与 CBOW", "根据上下文窗口（前后几个词元）预测中间的词元。"),
    paper="Mikolov et al. 2013b, sections 2 and 2.3",
    settings=Window,
    traits={"windows"},
    stage="token",
    frame="plain",
    order=30,
    decoding=Decoding(reading=asking),
)
def window(ids: NDArray[np.int64], s: Window, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Predicts each token from its context window, the few around it."""
    # Frequent tokens are dropped before windows are laid: what is left moves together, and a window reaches farther.
    kept = ~vocabulary.is_special(ids) & ~_dropped(ids, s, vocabulary, dice)  # (B, T)
    reach = dice.integers(1, s.reach + 1, ids.shape[1])  # (B, T)
    visible = within(ids, kept, reach, vocabulary.end)
    return Exercise(shown=ids.copy(), asked=visible.sum(-1) > 0, answers=ids, visible=visible)


def within(ids: NDArray[np.int64], kept: NDArray[np.bool_], reach: NDArray[np.int64], end: int) -> NDArray[np.bool_]:
    """Which kept tokens of the same text are at most ``reach`` (B, T) kept tokens away from each: (B, T, T)."""
    text = (ids == end).cumsum(1) * (ids.shape[1] + reach.max(initial=0))  # so that texts lie too far apart
    place = np.where(kept, kept.cumsum(1) + text, -(2**30)).astype(np.int32)  # (B, T)
    # All pairs at once: (B, T, T) of small integers is quicker than a loop of T windows.
    apart = np.abs(place[:, :, None] - place[:, None, :])
    return (apart > 0) & (apart <= reach[:, :, None].astype(np.int32))


def _dropped(ids: NDArray[np.int64], s: Window, vocabulary: Vocabulary, dice: Dice) -> NDArray[np.bool_]:
    uniforms = dice.random(ids.shape[1])  # (B, T)
    if not s.sample or vocabulary.counts is None:
        return np.zeros(ids.shape, dtype=bool)
    # How often a token occurs, in units of the threshold: at 1 and below it always stays.
    share = np.maximum(vocabulary.counts, 1) / vocabulary.counts.sum() / s.sample
    return uniforms >= ((np.sqrt(share) + 1) / share)[ids]
