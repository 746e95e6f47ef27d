"""Adapters: a narrow network behind each feed-forward network, which alone learns (Houlsby et al. 2019, section 2.1).

Houlsby et al. have a second one behind each attention. That behind the feed-forward network is the place to which
Pfeiffer et al. (2021) keep, with half as many parameters.

W width   R bottleneck
"""

from torch import Tensor, nn
from torch.nn import functional


class Adapter(nn.Module):
    """Two maps through a bottleneck, added to what comes in. It begins as the identity."""

    def __init__(self, width: int, bottleneck: int) -> None:
        super().__init__()
        self.down = nn.Linear(width, bottleneck)
        self.up = nn.Linear(bottleneck, width)
        # The first step starts from the model as it was: what is added begins at zero. The authors begin near it.
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x: Tensor) -> Tensor:
        # Unlike a product of low rank, which is a part of a weight in the end, it bends: no weight could take it up,
        # and each text pays for it anew.
        return x + self.up(functional.gelu(self.down(x)))  # (..., W), through (..., R)
