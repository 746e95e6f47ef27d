"""The presence penalty: a token that was written once becomes less likely.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class PresencePenalty(Settings):
    """Subtracted from the logit of each token that was written."""

    penalty: float = knob(0.5, "Penalty", "惩罚", low=-2.0, high=2.0, step=0.05)


@SAMPLERS.add(
    "presence_penalty",
    title="Presence penalty",
    zh=("存在惩罚", "生成过的词元，分数一律减去同一个数。"),
    paper="OpenAI 2023, API reference",
    settings=PresencePenalty,
    looks_back=True,
    order=2,
)
def presence_penalty(logits: Tensor, s: PresencePenalty, so_far: SoFar) -> Tensor:
    """Takes the same amount off every token that the model has written, however often."""
    written = torch.tensor(so_far.ids[so_far.given :], dtype=torch.int64)
    counts = written.bincount(minlength=logits.shape[-1])  # (V,) the prompt does not count
    return logits - s.penalty * (counts > 0)  # (..., V)
