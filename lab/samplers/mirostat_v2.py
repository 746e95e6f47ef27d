"""Mirostat 2: cut off what would surprise more than mu bits, and let mu follow the surprise that was observed.

V vocabulary
"""

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.samplers.parts.surprise import STATE, Feedback, surprises


@SAMPLERS.add(
    "mirostat_v2",
    title="Mirostat 2",
    zh=("Mirostat 2", "截去意外度超过 μ 的词元；μ 随实际的意外度调整，使平均意外度接近 τ。"),
    paper="Basu et al. 2021",
    settings=Feedback,
    state=STATE,
    order=15,
)
def mirostat_v2(logits: Tensor, s: Feedback, mu: float) -> Tensor:
    """Cuts off tokens above a bound on surprise that it adjusts so that the mean surprise comes near tau.

    The paper has version 1; this one is of its authors' code. The likeliest always stays.
    """
    stays = (surprises(logits) <= mu) | (logits == logits.amax(-1, keepdim=True))
    return logits.masked_fill(~stays, -torch.inf)  # (..., V)
