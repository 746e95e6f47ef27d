"""A BiLSTM over vectors that stay as they are: how a task was put upon word vectors and upon ELMo.

B batch   T tokens   L layers   W width   C classes
"""

import torch
from torch import Tensor, nn

from lab.layers.bilm import Mix
from lab.layers.init import initialise_recurrent
from lab.layers.recurrent import Recurrent


class ThroughLSTM(nn.Module):
    """Sorts each token into classes by what a BiLSTM of its own makes of all vectors (Huang et al. 2015; without a
    CRF). Where these come in ``layers``, it reads a mix of them, whose shares are learnt (Peters et al. 2018, section
    3.2)."""

    def __init__(self, width: int, classes: int, *, layers: int = 0) -> None:
        super().__init__()
        self.mix = Mix(layers) if layers else None
        self.through = Recurrent(2 * ((width + 1) // 2), both=True)
        self.out = nn.Linear(2 * ((width + 1) // 2), classes)
        initialise_recurrent(self)

    def forward(self, x: Tensor, real: Tensor | None = None) -> Tensor:
        """``x`` (B, T, W), or (L, B, T, W)."""
        # Static vectors do not know their context: the tagger on top of them has to.
        x = x if self.mix is None else self.mix(x)  # (B, T, W)
        x = torch.nn.functional.pad(x, (0, x.shape[-1] % 2))  # two directions share the width
        return self.out(self.through(x, real))  # (B, T, C)
