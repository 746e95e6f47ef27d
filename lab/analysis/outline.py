"""Meta tensors: a model without its numbers, whose tensors have a shape and take no memory."""

from typing import Any

import torch
from torch import nn

from lab.catalog import MODELS
from lab.layers.init import Undrawn


def outlined(model: str, settings: Any, vocabulary: int, classes: int) -> nn.Module:
    """The model without its numbers: on torch's meta device."""
    with torch.device("meta"), Undrawn():
        built: nn.Module = MODELS[model].build(settings, vocabulary, classes)
    return built
