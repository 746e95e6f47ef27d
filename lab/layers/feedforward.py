"""The feed-forward network: what each token does by itself, between two attentions (Vaswani et al. 2017, section 3.3).

B batch   T tokens   W width   F feed-forward width
"""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional

from lab.layers.adapter import Adapter

Activation = Callable[[Tensor], Tensor]


class MLP(nn.Module):
    """Two linear maps with an activation, and perhaps dropout, between them."""

    def __init__(
        self, width: int, hidden: int, activation: Activation, *, bias: bool = True, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=bias)
        self.activation = activation
        self.dropout = nn.Dropout(dropout)
        self.down = nn.Linear(hidden, width, bias=bias)
        self.adapter: Adapter | None = None  # which fine-tuning may set

    def forward(self, x: Tensor) -> Tensor:
        # Each token by itself: no token looks at another here. Two thirds of a block's parameters are in these two
        # maps; what a model knows by heart is looked for in them (Geva et al. 2021).
        y: Tensor = self.down(self.dropout(self.activation(self.up(x))))  # (B, T, F), then (B, T, W)
        return y if self.adapter is None else self.adapter(y)


class GatedMLP(nn.Module):
    """Two linear maps side by side, one of which, activated, weighs the other (Shazeer 2020); then a third."""

    def __init__(
        self, width: int, hidden: int, activation: Activation, *, bias: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=bias)
        self.up = nn.Linear(width, hidden, bias=bias)
        self.activation = activation
        self.dropout = nn.Dropout(dropout)
        self.down = nn.Linear(hidden, width, bias=bias)
        self.adapter: Adapter | None = None  # which fine-tuning may set

    def forward(self, x: Tensor) -> Tensor:
        # A product of two maps of x, where the MLP has one: a number that the gate holds near zero is shut, whatever
        # the other says.
        y: Tensor = self.down(self.dropout(self.activation(self.gate(x)) * self.up(x)))  # (B, T, F), then (B, T, W)
        return y if self.adapter is None else self.adapter(y)


def gelu(x: Tensor) -> Tensor:
    """x times the normal distribution's cumulative probability of x (Hendrycks and Gimpel 2016)."""
    return functional.gelu(x)


def gelu_tanh(x: Tensor) -> Tensor:
    """The approximation of gelu by a tanh, from the same paper; the difference shows from the fourth digit on."""
    return functional.gelu(x, approximate="tanh")


def silu(x: Tensor) -> Tensor:
    """x times its logistic function, also known as swish."""
    return functional.silu(x)


def relu(x: Tensor) -> Tensor:
    """x where it is positive, else zero."""
    return functional.relu(x)


ACTIVATIONS: dict[str, Activation] = {"gelu": gelu, "gelu_tanh": gelu_tanh}
