"""The top-k sampler: draw from the k likeliest tokens only.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class TopK(Settings):
    """How many tokens stay."""

    k: int = knob(40, "k: tokens kept", "k：保留的词元数", low=1, high=1000, step=1)


@SAMPLERS.add(
    "top_k",
    title="Top-k",
    zh=("Top-k", "只从最可能的 k 个词元中抽取。"),
    paper="Fan et al. 2018",
    settings=TopK,
    order=3,
)
def top_k(logits: Tensor, s: TopK) -> Tensor:
    """Draws from the k likeliest tokens only."""
    order = logits.sort(descending=True, stable=True).indices  # (V,)
    return logits.index_fill(0, order[s.k :], -torch.inf)  # (V,)
