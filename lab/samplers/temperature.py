"""Temperature: sharpen the distribution below 1, flatten it above 1.

V vocabulary
"""

from dataclasses import dataclass

from torch import Tensor

from lab.catalog import SAMPLERS
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class Temperature(Settings):
    """By how much the logits are divided."""

    temperature: float = knob(1.0, "Temperature", "温度", low=0.01, high=5.0, step=0.01)


@SAMPLERS.add(
    "temperature",
    title="Temperature",
    zh=("温度", "低于 1 时更集中，高于 1 时更均匀。"),
    paper="Ackley et al. 1985",
    settings=Temperature,
    order=6,
)
def temperature(logits: Tensor, s: Temperature) -> Tensor:
    """Sharpens the distribution below 1 and flattens it above 1."""
    return logits / s.temperature  # (..., V)
