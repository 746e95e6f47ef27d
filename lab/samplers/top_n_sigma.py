"""Top-nσ: draw from the tokens whose logits lie at most n standard deviations below the highest.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.settings import Settings, knob

ROUNDING = 1 + 1e-6  # of float logits: a token that lies exactly n deviations below stays


@dataclass(frozen=True, kw_only=True)
class TopNSigma(Settings):
    """How many standard deviations of the logits."""

    n: float = knob(1.0, "n: standard deviations", "n：标准差的倍数", low=0.0, high=10.0, step=0.1)


@SAMPLERS.add(
    "top_n_sigma",
    title="Top-nσ",
    zh=("Top-nσ", "只从分数比最高分最多低 n 个标准差的词元中抽取。"),
    paper="Tang et al. 2024",
    settings=TopNSigma,
    order=13,
)
def top_n_sigma(logits: Tensor, s: TopNSigma) -> Tensor:
    """Draws from the tokens whose logits are at most n standard deviations below the highest.

    Dividing all logits by a temperature leaves the same tokens. What is impossible does not count.
    """
    possible = logits.isfinite()
    count = possible.sum(-1, keepdim=True)
    exact = logits.double()
    mean = exact.where(possible, 0.0).sum(-1, keepdim=True) / count
    spread = ((exact - mean).where(possible, 0.0).square().sum(-1, keepdim=True) / count).sqrt()  # (..., 1)
    least = exact.amax(-1, keepdim=True) - s.n * spread * ROUNDING
    return logits.masked_fill(exact < least, -torch.inf)  # (..., V)
