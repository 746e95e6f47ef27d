"""A threshold on probability, as epsilon and eta sampling have it.

V vocabulary
"""

import torch
from torch import Tensor

ROUNDING = 1 - 1e-6  # of float logits: a token that has exactly the threshold stays


def above(logits: Tensor, probabilities: Tensor, least: Tensor | float) -> Tensor:
    """The logits (..., V) of tokens that have at least the probability ``least`` (..., 1), and of the likeliest."""
    stays = (probabilities >= least * ROUNDING) | (logits == logits.amax(-1, keepdim=True))
    return logits.masked_fill(~stays, -torch.inf)
