"""Greedy decoding: always take the likeliest token.

V vocabulary
"""

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.settings import Settings


@SAMPLERS.add("greedy", title="Greedy", zh=("贪心", "总是选最可能的词元。"), settings=Settings, order=5)
def greedy(logits: Tensor, s: Settings) -> Tensor:
    """Always takes the likeliest token."""
    best = logits.max(-1, keepdim=True).indices  # (..., 1), the first of equals
    return torch.full_like(logits, -torch.inf).scatter(-1, best, logits.gather(-1, best))  # (..., V)
