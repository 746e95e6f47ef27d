"""Eta sampling: epsilon sampling whose threshold falls where the model is in doubt.

V vocabulary
"""

import math
from dataclasses import dataclass

from torch import Tensor

from lab.catalog import SAMPLERS
from lab.samplers.parts.floor import above
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class Eta(Settings):
    """The least probability where the model is in no doubt."""

    epsilon: float = knob(0.002, "ε: least probability", "ε：最低概率", low=0.0001, high=0.5, step=0.0001)


@SAMPLERS.add(
    "eta",
    title="Eta sampling",
    zh=("η 采样", "像 ε 采样，但模型拿不准时门槛更低。"),
    paper="Hewitt et al. 2022",
    settings=Eta,
    order=12,
)
def eta(logits: Tensor, s: Eta) -> Tensor:
    """Draws from the tokens that have at least epsilon, or less where the model is in doubt.

    The threshold is then the root of epsilon times exp(-H), H the entropy in nats. The likeliest always stays.
    """
    log = logits.double().log_softmax(-1)  # (..., V)
    probabilities = log.exp()
    entropy = -(probabilities * log).nansum(-1, keepdim=True)  # (..., 1) what is impossible adds nothing
    return above(logits, probabilities, (math.sqrt(s.epsilon) * (-entropy).exp()).clamp(max=s.epsilon))
