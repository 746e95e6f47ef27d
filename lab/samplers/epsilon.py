"""Epsilon sampling: draw from the tokens that have at least a probability of epsilon.

V vocabulary
"""

from dataclasses import dataclass

from torch import Tensor

from lab.catalog import SAMPLERS
from lab.samplers.parts.floor import above
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class Epsilon(Settings):
    """The least probability."""

    epsilon: float = knob(0.001, "ε: least probability", "ε：最低概率", low=0.0001, high=0.5, step=0.0001)


@SAMPLERS.add(
    "epsilon",
    title="Epsilon sampling",
    zh=("ε 采样", "只从概率不低于 ε 的词元中抽取。"),
    paper="Hewitt et al. 2022",
    settings=Epsilon,
    order=11,
)
def epsilon(logits: Tensor, s: Epsilon) -> Tensor:
    """Draws from the tokens that have at least a probability of epsilon; the likeliest always stays."""
    return above(logits, logits.double().softmax(-1), s.epsilon)
