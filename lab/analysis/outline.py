"""Meta tensors: a model without its numbers, whose tensors have a shape and take no memory."""

from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from lab.catalog import MODELS


def outlined(model: str, settings: Any, vocabulary: int, classes: int) -> nn.Module:
    """The model without its numbers: on torch's meta device."""
    with torch.device("meta"), _Unset():
        built: nn.Module = MODELS[model].build(settings, vocabulary, classes)
    return built


class _Unset(TorchFunctionMode):
    """Leaves new tensors as they are: where there are no numbers, none need be drawn, and drawing them takes longer
    than all the rest."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func.__name__ in ("normal_", "uniform_", "trunc_normal_", "kaiming_uniform_"):
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)
