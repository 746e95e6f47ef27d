"""Weights in eight bits: each row of a matrix as whole numbers up to 127 and a scale of its own (absmax quantisation).

A packed run is half as large by it as in half precision. What is rounded off is at most 1/254 of a row's greatest
number; vectors, which are few, stay in half precision (Dettmers et al. 2022, section 2.1).

R rows   C columns
"""

from collections.abc import Mapping

import torch
from torch import Tensor

GREATEST = 127  # of the whole numbers
SCALE = ".row_scale"  # behind the name of a matrix


def quantised(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The matrices among the weights in eight bits with their scales, other numbers with a fraction in half
    precision."""
    small = dict[str, Tensor]()
    for name, tensor in weights.items():
        if not tensor.is_floating_point():
            small[name] = tensor
        elif tensor.dim() != 2:
            small[name] = halved(tensor)
        else:
            small[name], small[name + SCALE] = quantised_matrix(tensor)
    return small


def halved(tensor: Tensor) -> Tensor:
    """Numbers with a fraction in half precision; as they are where one of them is too large for it, such as how often
    a token of a long text was seen."""
    half = tensor.half() if tensor.is_floating_point() else tensor
    return half if half.isfinite().all() else tensor


def quantised_matrix(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """A matrix (R, C) in eight bits, and the scales of its rows: (R, C) int8 and (R,)."""
    # A row of zeros keeps a scale that divides.
    scale = (matrix.float().abs().amax(1) / GREATEST).clamp(min=torch.finfo(torch.float).tiny)
    return (matrix.float() / scale[:, None]).round().to(torch.int8), scale


def restored(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that ``quantised`` made small, but for the rounding; others as they are."""
    scales = {name.removesuffix(SCALE): tensor for name, tensor in weights.items() if name.endswith(SCALE)}
    return {
        name: tensor.float() * scales[name][:, None] if name in scales else tensor
        for name, tensor in weights.items()
        if not name.endswith(SCALE)
    }
