"""How a paper trained its model, in the words of the lab's settings of training.

The lab trains small models for minutes, and its defaults suit that. A model's file says what its paper did: that may be
asked for as a whole: "as published". Where a paper warms up for so many steps of so many, that share stands here.
"""

from dataclasses import asdict, dataclass
from typing import Any

OPTIMIZERS = ("adamw", "lamb", "adafactor", "adagrad", "sgd")
SCHEDULES = ("linear", "cosine", "inverse_sqrt", "constant")
UNLIMITED = 1000.0  # a gradient norm that is never reached: the paper does not clip


@dataclass(frozen=True, kw_only=True)
class Published:
    """The settings of training as a paper has them; each is called as the lab's own. ``beside`` says, in English and
    Chinese, what the paper did that is no setting of training: batches, steps, dropout. What it leaves open is None and
    stays as the lab has it."""

    beside: tuple[str, str]
    optimizer: str = "adamw"
    rate: float | None
    warmup: float | None
    schedule: str = "linear"
    floor: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    decay: float = 0.01
    clip: float = 1.0
    deviation: float | None = 0.02

    def training(self) -> dict[str, Any]:
        """The settings that it names."""
        return {name: value for name, value in asdict(self).items() if name != "beside" and value is not None}
