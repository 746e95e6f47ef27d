"""The frequency penalty: the more often a token was written, the less likely it becomes.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class FrequencyPenalty(Settings):
    """Subtracted for each time that the token was written."""

    penalty: float = knob(0.5, "Penalty", "惩罚", low=-2.0, high=2.0, step=0.05)


@SAMPLERS.add(
    "frequency_penalty",
    title="Frequency penalty",
    zh=("频率惩罚", "生成过的词元，每出现一次分数就减一次。"),
    paper="OpenAI 2023, API reference",
    settings=FrequencyPenalty,
    looks_back=True,
    order=3,
)
def frequency_penalty(logits: Tensor, s: FrequencyPenalty, so_far: SoFar) -> Tensor:
    """Takes an amount off a token for each time that the model has written it."""
    written = torch.tensor(so_far.ids[so_far.given :], dtype=torch.int64)
    counts = written.bincount(minlength=logits.shape[-1])  # (V,) the prompt does not count
    return logits - s.penalty * counts  # (..., V)
