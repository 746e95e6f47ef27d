"""Heads and poolers: which token stands there, and one vector for the whole sequence.

B batch   T tokens   N asked positions   W width   E table width   V vocabulary   C classes
"""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.layers.feedforward import Activation
from lab.layers.partial import last_place

Multiply = Callable[[Tensor, Tensor, Tensor | None], Tensor]  # of states (..., W), weights (N, W) and a bias: (..., N)


class TableHead(nn.Module):
    """A head that scores states against a table of tokens by its ``product``, the plain one where none is set."""

    def __init__(self) -> None:
        super().__init__()
        self.product: Multiply = functional.linear


class TiedHead(TableHead):
    """Scores a state, multiplied by ``scale``, against each row of the token table; with a ``vocabulary``, there is a
    bias for each token."""

    def __init__(self, vocabulary: int | None = None, *, scale: float = 1.0) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(vocabulary)) if vocabulary else None
        self.scale = scale

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        """``x`` (N, E), ``table`` (V, E)."""
        return self.product(x * self.scale, table, self.bias)  # (N, V)


class BiasedHead(TableHead):
    """Scores a state against each row of the token table, or of one of its own where the two are not ``tied``, and
    adds a bias that does not learn: a buffer."""

    def __init__(self, width: int, vocabulary: int, *, tied: bool = True) -> None:
        super().__init__()
        self.out = None if tied else nn.Linear(width, vocabulary, bias=False)
        self.bias: Tensor
        self.register_buffer("bias", torch.zeros(vocabulary))

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        """``x`` (N, W), ``table`` (V, W)."""
        return self.product(x, table if self.out is None else self.out.weight, self.bias)  # (N, V)


class OwnHead(nn.Module):
    """Scores a state against each row of a table of its own."""

    def __init__(self, width: int, vocabulary: int, *, bias: bool = False) -> None:
        super().__init__()
        self.out = nn.Linear(width, vocabulary, bias=bias)

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        """``x`` (N, W); the token table is not looked at."""
        return self.out(x)  # (N, V)


class TransformHead(TableHead):
    """A dense layer, its activation and a norm; then scores against the token table, or against one of its own where
    the two are not ``tied``, with a bias for each token."""

    def __init__(
        self, dense: nn.Linear, activation: Activation, norm: nn.Module, vocabulary: int, *, tied: bool = True
    ) -> None:
        super().__init__()
        self.dense = dense
        self.activation = activation
        self.norm = norm
        self.bias = nn.Parameter(torch.zeros(vocabulary)) if tied else None
        self.out = None if tied else nn.Linear(dense.out_features, vocabulary)

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        """``x`` (N, W), ``table`` (V, E)."""
        # The dense layer turns a state, which knows its context, into something like a token's vector, which does not.
        x = self.norm(self.activation(self.dense(x)))  # (N, E)
        return self.product(x, table, self.bias) if self.out is None else self.out(x)  # (N, V)


class TokenHead(nn.Module):
    """One score for each token: a dense layer, its activation and a sum."""

    def __init__(self, width: int, activation: Activation) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.activation = activation
        self.out = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` (B, T, W)."""
        return self.out(self.activation(self.dense(x)))[..., 0]  # (B, T)


class BesideFirst(TokenHead):
    """One score for each token, of its sum with the first token, normalised."""

    def __init__(self, width: int, activation: Activation, norm: nn.Module) -> None:
        super().__init__(width, activation)
        self.norm = norm

    def forward(self, x: Tensor) -> Tensor:
        """``x`` (B, T, W)."""
        return super().forward(self.norm(x + x[:, :1]))  # (B, T)


class FirstToken(nn.Module):
    """Sums a sequence up by its first token: dropout where there is some, a dense layer and its activation."""

    def __init__(self, width: int, activation: Activation = torch.tanh, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.dense = nn.Linear(width, width)
        self.activation = activation

    def forward(self, x: Tensor, real: Tensor | None) -> Tensor:
        """``x`` (B, T, W)."""
        # [CLS] stands for no word: what it gathers is free to be about the whole text.
        return self.activation(self.dense(self.dropout(x[:, 0])))  # (B, W)


class LastToken(nn.Module):
    """Sums a sequence up by its last token that is not padding: read from left to right, it has seen all others.

    With a ``width``, there follow a dense layer and a tanh.
    """

    def __init__(self, width: int | None = None) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width) if width else None

    def forward(self, x: Tensor, real: Tensor | None) -> Tensor:
        """``x`` (B, T, W), ``real`` (B, T)."""
        last = last_of(x, real)  # (B, W)
        return last if self.dense is None else torch.tanh(self.dense(last))


def last_of(x: Tensor, real: Tensor | None) -> Tensor:
    """The state of the last token that is not padding, of ``x`` (B, T, W) and ``real`` (B, T): (B, W)."""
    if real is None:
        return x[:, -1]
    return x[torch.arange(len(x), device=x.device), last_place(real)]


class MeanToken(nn.Module):
    """Sums a sequence up by the mean of all tokens that are not padding, and by no dense layer behind it: mean pooling
    (Reimers and Gurevych 2019, section 3)."""

    def forward(self, x: Tensor, real: Tensor | None) -> Tensor:
        """``x`` (B, T, W), ``real`` (B, T)."""
        if real is None:
            return x.mean(1)  # (B, W)
        return (x * real[:, :, None]).sum(1) / real.sum(1, keepdim=True).clamp_min(1)


class EachToken(nn.Module):
    """Sorts each token into classes, by its own state: dropout and a linear map (Devlin et al. 2018, section 5.3)."""

    def __init__(self, width: int, classes: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(width, classes)
        nn.init.normal_(self.out.weight, std=0.02 * (768 / width) ** 0.5)  # as in lab.layers.init
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor, real: Tensor | None = None) -> Tensor:
        """``x`` (B, T, W)."""
        return self.out(self.dropout(x))  # (B, T, C)


class SequenceHead(nn.Module):
    """Sorts a whole sequence into classes, by the one vector that sums it up.

    Where tokens look back only, a first token has seen nothing but itself: the last one then stands in its place.
    Fine-tuning may set a ``pooler`` of its own.
    """

    def __init__(self, pooler: nn.Module, out: nn.Linear, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.pooler = pooler
        self.dropout = nn.Dropout(dropout)
        self.out = out

    def reads(self, *, causal: bool) -> Literal["first", "last"] | None:
        """Which token sums the sequence up; None if not a single one."""
        if not isinstance(self.pooler, FirstToken | LastToken):
            return None
        return "first" if isinstance(self.pooler, FirstToken) and not causal else "last"

    def forward(self, x: Tensor, real: Tensor | None = None, *, causal: bool = False) -> Tensor:
        """``x`` (B, T, W), ``real`` (B, T) or None where nothing is padded; the pooler makes (B, W) of both."""
        if causal and isinstance(self.pooler, FirstToken):
            x, real = last_of(x, real)[:, None], None  # (B, 1, W)
        return self.out(self.dropout(self.pooler(x, real)))  # (B, C)
