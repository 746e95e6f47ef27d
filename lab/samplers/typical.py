"""Typical sampling: draw from the tokens whose surprise is nearest to what was to be expected, the entropy.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class Typical(Settings):
    """How much probability stays."""

    p: float = knob(0.95, "p: probability kept", "p：保留的概率", low=0.01, high=1.0, step=0.01)


@SAMPLERS.add(
    "typical",
    title="Typical sampling",
    zh=("典型采样", "只从意外度最接近熵、概率之和达到 p 的词元中抽取。"),
    paper="Meister et al. 2022",
    settings=Typical,
    order=10,
)
def typical(logits: Tensor, s: Typical) -> Tensor:
    """Draws from the fewest tokens of a surprise near the entropy that together reach p; the likeliest may be cut."""
    log = logits.double().log_softmax(-1)  # (..., V)
    probabilities = log.exp()
    entropy = -(probabilities * log).nansum(-1, keepdim=True)  # (..., 1) what is impossible adds nothing
    order = (log + entropy).abs().sort(stable=True).indices  # (..., V) nearest to the entropy first
    before = probabilities.gather(-1, order).cumsum(-1).roll(1, -1)
    before[..., 0] = 0
    stays = before < s.p * (1 - 1e-9)  # those before it fall short of p
    possible = logits.isfinite()
    return logits.masked_fill(~(stays.scatter(-1, order, stays) & possible), -torch.inf)  # (..., V)
