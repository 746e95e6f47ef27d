"""The min-p sampler: draw from the tokens that are not much less likely than the likeliest.

V vocabulary
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class MinP(Settings):
    """Which part of the likeliest token's probability a token must have."""

    p: float = knob(0.05, "p: part of the likeliest", "p：与最可能者之比", low=0.001, high=1.0, step=0.001)


@SAMPLERS.add(
    "min_p",
    title="Min-p",
    zh=("Min-p", "只从概率不低于最可能词元的 p 倍的词元中抽取。"),
    paper="Nguyen et al. 2024",
    settings=MinP,
    order=9,
)
def min_p(logits: Tensor, s: MinP) -> Tensor:
    """Draws from the tokens that have at least p times the probability of the likeliest."""
    best = logits.amax(-1, keepdim=True)  # (..., 1)
    return logits.masked_fill(logits < best + math.log(s.p), -torch.inf)  # (..., V)
