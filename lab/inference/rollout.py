"""Attention rollout: whom a token draws on through all layers so far, the residual connections counted in (Abnar and
Zuidema 2020, section 3).

L layers   H heads   T tokens
"""

import torch
from torch import Tensor


def mean_of_heads(maps: Tensor) -> Tensor:
    """The mean of all heads of a layer: (L, T, S) of ``maps`` (L, H, T, S)."""
    return maps.mean(1)


def rollout(maps: Tensor) -> Tensor:
    """Of ``maps`` (L, H, T, T) what each layer's tokens are made of in terms of the tokens that went in: (L, T, T),
    rows of which sum to 1, what a learned prefix was given left aside. Half of what a token is counts as its own,
    through the residual."""
    mean = mean_of_heads(maps)
    mean = mean / mean.sum(-1, keepdim=True).clamp_min(torch.finfo(mean.dtype).tiny)
    layers = (mean + torch.eye(maps.shape[-1], dtype=maps.dtype, device=maps.device)) / 2
    through = [layers[0]]
    for layer in layers[1:]:
        through.append(layer @ through[-1])
    return torch.stack(through)
