"""The top-p sampler (nucleus sampling): draw from the fewest tokens that together reach a probability of p.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class TopP(Settings):
    """How much probability stays."""

    p: float = knob(0.9, "p: probability kept", "p：保留的概率", low=0.01, high=1.0, step=0.01)


@SAMPLERS.add(
    "top_p",
    title="Top-p",
    zh=("Top-p", "只从概率之和达到 p 的最少几个词元中抽取。"),
    paper="Holtzman et al. 2019, section 3.1",
    settings=TopP,
    order=8,
)
def top_p(logits: Tensor, s: TopP) -> Tensor:
    """Draws from the fewest tokens that together reach a probability of p."""
    ordered, order = logits.double().softmax(-1).sort(descending=True, stable=True)  # (..., V)
    rest = ordered.flip(-1).cumsum(-1).flip(-1)  # (..., V) the probability of a token and of all that are less likely
    # A token stays if those before it fall short of p. The tolerance is relative, so that p = 1 keeps everything
    # and the rounding of float logits does not let one more token in.
    stays = rest >= (1 - s.p) * (1 + 1e-6)  # (..., V)
    return logits.masked_fill(~stays.scatter(-1, order, stays), -torch.inf)  # (..., V)
