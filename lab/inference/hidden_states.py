"""Hidden states: what a text is after the embedding and after each layer.

L layers   T tokens   W width
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.inference.model import Trained
from lab.inference.probe import stack_of
from lab.inference.shown import Shown
from lab.layers.watch import looking


def hidden_states(trained: Trained, asked: Shown, kind: str = "") -> tuple[Tensor, NDArray[np.int64]]:
    """Of what is shown, in the stack that draws this kind of maps: (L + 1, T, W), the embedding first, and the ids (T,)
    that stand there. Raises SettingsError where there is no such stack."""
    stack = stack_of(trained.model, kind)
    seen: list[Tensor] = []
    with torch.no_grad(), looking({stack.watch: seen.append}):
        trained.model(asked.batch)
    return torch.cat(seen).float().cpu(), asked.written if kind in ("decoder", "cross") else asked.read
