"""Similarity of representations across layers: cosines of each token's states, and linear CKA of all tokens' states.

Cosines compare directions and need both layers to use the same axes, as the residual connection makes them do; centred
kernel alignment compares which tokens are near to which and needs no common axes (Kornblith et al. 2019, section 3).
Hidden states lie in a narrow cone: even different tokens have high cosines (anisotropy, Ethayarajh 2019, section 4.1).

L layers   T tokens   W width
"""

from torch import Tensor
from torch.nn import functional

TINY = 1e-12


def cosines(hidden: Tensor) -> Tensor:
    """Of the states (L, T, W) of each token those of any two layers: (T, L, L)."""
    units = _units(hidden).transpose(0, 1)  # (T, L, W)
    return units @ units.mT


def between_tokens(hidden: Tensor) -> Tensor:
    """The mean cosine of two different tokens in the same layer, of states (L, T, W): (L,); NaN of a single token."""
    units, count = _units(hidden), hidden.shape[1]
    whole = units.sum(1).square().sum(-1)  # (L,): over all pairs, each token with itself among them
    return (whole - units.square().sum((1, 2))) / (count * (count - 1))


def alignment(hidden: Tensor) -> Tensor:
    """Linear centred kernel alignment of any two layers, of states (L, T, W): (L, L), 0 to 1. 0 where all tokens of a
    layer are the same."""
    centred = hidden.double() - hidden.double().mean(1, keepdim=True)
    kernels = (centred @ centred.mT).flatten(1)  # (L, T * T)
    lengths = kernels.norm(dim=1).clamp(min=TINY)
    return ((kernels @ kernels.mT) / (lengths[:, None] * lengths)).float()


def _units(hidden: Tensor) -> Tensor:
    return functional.normalize(hidden.double(), dim=-1, eps=TINY).float()
