"""Published training hyperparameters: how a paper trained its model, as the lab's settings of training.

The lab trains small models for minutes, and its defaults suit that. A model's file says what its paper did: that may be
asked for as a whole: "as published". Where a paper warms up for so many steps of so many, that share stands here.
"""

from dataclasses import asdict, dataclass
from typing import Any

OPTIMIZERS = ("muon", "adamw", "lamb", "adafactor", "adagrad", "sgd")
LACKS: dict[str, tuple[str, ...]] = {  # settings of training that an optimizer does not have
    "adafactor": ("weight_decay", "beta1", "beta2", "epsilon"),
    "adagrad": ("weight_decay", "beta1", "beta2"),
    "sgd": ("beta1", "beta2", "epsilon"),
}
CONSTANT = "constant"
SCHEDULES = ("linear", "cosine", "inverse_sqrt", CONSTANT)
SAID = ("source", "beside")  # of a paper, and no settings
UNLIMITED = 1000.0  # a gradient norm that is never reached: the paper does not clip


@dataclass(frozen=True, kw_only=True)
class Published:
    """The settings of training as a paper has them; each is called as the lab's own. ``source`` names the paper's
    section and the released code that say so. ``beside`` says, in English and Chinese, what the paper did that is no
    setting of training, batches, steps, dropout, and where its code differs. What neither says is None and stays as the
    lab has it: nothing is taken for granted because others do it so."""

    source: str
    beside: tuple[str, str]
    optimizer: str | None = "adamw"
    learning_rate: float | None
    warmup: float | None
    schedule: str | None = None
    floor: float = 0.0
    beta1: float | None = None
    beta2: float | None = None
    epsilon: float | None = None
    weight_decay: float | None = None
    clip: float | None = None
    loss_factor: float | None = None  # of the mean loss over tokens
    init_std: float | None = None

    def training(self) -> dict[str, Any]:
        """The settings that it names."""
        return {name: value for name, value in asdict(self).items() if name not in SAID and value is not None}
