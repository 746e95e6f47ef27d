"""Mirostat: top-k sampling whose k follows the surprise that was observed, by way of Zipf's law.

V vocabulary   M likeliest tokens from which the law's exponent is estimated
"""

import math

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.samplers.parts.surprise import STATE, Feedback

M = 100
FLATTEST = 1e-3  # exponent: with 0, that of even chances, k would not be defined


@SAMPLERS.add(
    "mirostat",
    title="Mirostat",
    zh=("Mirostat", "k 会自行调整的 top-k：使平均意外度接近 τ。"),
    paper="Basu et al. 2021, algorithm 1",
    settings=Feedback,
    state=STATE,
    order=14,
)
def mirostat(logits: Tensor, s: Feedback, mu: float) -> Tensor:
    """Draws from the k likeliest tokens, k adjusted so that the mean surprise comes near tau.

    As in the authors' code one token more stays than the algorithm says.
    """
    ordered, order = logits.double().log_softmax(-1).sort(descending=True, stable=True)  # (..., V)
    k = (log_k(ordered, mu).exp().round() + 1).clamp(1, logits.shape[-1])  # (..., 1)
    stays = (torch.arange(logits.shape[-1]) < k).expand_as(order)
    return logits.masked_fill(~torch.zeros_like(stays).scatter(-1, order, stays), -torch.inf)  # (..., V)


def log_k(ordered: Tensor, mu: float) -> Tensor:
    """The logarithm of the k from which one may expect ``mu`` bits, of log-probabilities (..., V) in falling order:
    (..., 1), at most that of V. What is impossible does not count."""
    count = ordered.isfinite().sum(-1, keepdim=True).double()  # (..., 1)
    exponent = zipf(ordered).clamp(min=FLATTEST)
    beyond = torch.where((exponent - 1).abs() < 1e-9, 1e-9, exponent - 1)
    total = -torch.expm1(-beyond * count.log()) / beyond  # the integral of rank to the power of minus the exponent
    return ((mu * math.log(2) - total.log()) / exponent).clamp(max=math.log(ordered.shape[-1]))


def zipf(ordered: Tensor) -> Tensor:
    """The exponent of Zipf's law by least squares over the M likeliest: (..., 1)."""
    first = ordered[..., :M]
    falls = first[..., :-1] - first[..., 1:]  # log p(i) - log p(i+1)
    rank = torch.arange(1, first.shape[-1], dtype=torch.float64)
    steps = (1 + 1 / rank).log().expand_as(falls).where(falls.isfinite(), 0.0)
    squares = (steps * steps).sum(-1, keepdim=True)
    exponent = (steps * falls.where(falls.isfinite(), 0.0)).sum(-1, keepdim=True) / squares
    return torch.where(squares > 0, exponent, 1.0)
