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
    order=7,
)
def top_k(logits: Tensor, s: TopK) -> Tensor:
    """Draws from the k likeliest tokens only."""
    last = logits.topk(min(s.k, logits.shape[-1])).values[..., -1:]  # (..., 1) the k-th likeliest
    stays = logits >= last  # (..., V)
    if (stays.sum(-1) > s.k).any():  # of those that equal it, the first so many as there is room for
        likelier, equal = logits > last, logits == last
        room = s.k - likelier.sum(-1, keepdim=True)  # (..., 1)
        stays = likelier | (equal & (equal.cumsum(-1) <= room))
    return logits.masked_fill(~stays, -torch.inf)  # (..., V)
