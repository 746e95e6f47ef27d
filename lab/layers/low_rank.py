"""LoRA: a map stays as it is and learns to differ by a product of two narrow ones (Hu et al. 2021, section 4.1).

O numbers out   I numbers in   R rank
"""

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize


class LowRank(nn.Module):
    """What is added to a weight (O, I): the product of (O, R) and (R, I), times ``scale``. It begins at zero."""

    def __init__(self, weight: Tensor, rank: int, scale: float) -> None:
        super().__init__()
        rows, columns = weight.shape
        # One of the two begins at zero, so that the first step starts from the model as it was; were both zero, neither
        # would ever get a gradient.
        self.lora_a = nn.Parameter(torch.randn(rank, columns) * columns**-0.5)
        self.lora_b = nn.Parameter(torch.zeros(rows, rank))
        self.scale = scale

    def forward(self, weight: Tensor) -> Tensor:
        """``weight`` (O, I)."""
        # The sum is a weight like any other. It may be merged, and then costs nothing: no layer is added.
        return weight + self.scale * (self.lora_b @ self.lora_a)


def adapt(linear: nn.Linear, rank: int, scale: float) -> None:
    """Let a linear map's weight learn by a product of low rank alone: whoever uses it, gets the sum."""
    # The weight that stays is kept beside the two that learn, and whoever reads ``linear.weight`` is given the sum.
    low = LowRank(linear.weight, min(rank, *linear.weight.shape), scale)
    parametrize.register_parametrization(linear, "weight", low)


def merge(model: nn.Module) -> nn.Module:
    """The same model with plain weights, each of which has taken its product up; returns it."""
    for part in model.modules():
        if parametrize.is_parametrized(part, "weight"):
            parametrize.remove_parametrizations(part, "weight", leave_parametrized=True)
    return model


def plain(name: str) -> str:
    """A parameter's name without what torch puts in when its weight is made of several: ``qkv.weight`` for the weight
    that stays, ``qkv.weight.lora_a`` for one of the two that learn."""
    return name.replace(".parametrizations.weight.original", ".weight").replace(".parametrizations.weight.0", ".weight")
