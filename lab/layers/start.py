"""The numbers that a model starts from."""

from typing import TypeVar

from torch import nn

from lab.layers.blocks import Block

Model = TypeVar("Model", bound=nn.Module)


def start(model: Model, *, std: float = 0.02, residual: float = 1.0) -> Model:
    """Give every weight a normal random number, every bias zero, every norm the scale one; returns the model.

    ``residual`` scales the last map of each branch of a block, so that a deep sum does not grow with its depth
    (Radford et al. 2019, section 2.3).
    """
    for part in model.modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            nn.init.normal_(part.weight, std=std)
        if isinstance(part, nn.Linear) and part.bias is not None:
            nn.init.zeros_(part.bias)
        if isinstance(part, nn.LayerNorm):
            part.reset_parameters()
    for part in model.modules():
        if isinstance(part, Block):
            nn.init.normal_(part.attention.out.weight, std=std * residual)
            nn.init.normal_(part.feed.down.weight, std=std * residual)
    return model
