"""Relative attention: a score adds up what two tokens are, how far apart they stand and which segments they are in.

From Transformer-XL (Dai et al. 2019, section 3.3); the term for segments is XLNet's (Yang et al. 2019, section 2.5).

B batch   T tokens that look   S tokens looked at   R distances, S + T of them   W width   H heads   K head width
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lab.layers.attention import Attending
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask


@dataclass(frozen=True, kw_only=True)
class Read:
    """What a block has made of the tokens looked at, and of the distances to them from S down to 1 - T."""

    keys: Tensor  # (B, H, S, K)
    values: Tensor  # (B, H, S, K)
    distances: Tensor  # (H, R, K), or (B, H, R, K) where not all rows are read in the same direction


@dataclass(frozen=True, kw_only=True)
class Look(AttentionMask):
    """Who may look at whom, and all else that the scores take beside the looking tokens themselves.

    The tokens that look are the last T of the S, or, where there are ``columns``, any: column r of the distances for
    each pair. ``apart`` says which pairs are in different segments; without it, all are in one. ``blind`` are the
    queries whose row of the mask is empty: their output is zero.
    """

    read: Read | None = None
    columns: Tensor | None = None  # (B, 1, T, S) int64
    apart: Tensor | None = None  # (B, 1, T, S) bool
    blind: Tensor | None = None  # (B, T, 1) bool


class RelativeAttention(Attending):
    """Multi-head attention in which no token has a position of its own, only a distance to each other token."""

    def __init__(self, width: int, heads: int, *, dropout: float = 0.0) -> None:
        super().__init__(dropout=dropout)
        self.head_width = width // heads
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * width, bias=False)
        self.distance = nn.Linear(width, width, bias=False)
        self.segments = nn.Embedding(2, width)  # the same segment, another segment
        self.token_bias, self.distance_bias, self.segment_bias = (
            nn.Parameter(torch.zeros(heads, self.head_width)) for _ in range(3)
        )
        self.out = nn.Linear(width, width, bias=False)

    def read(self, x: Tensor, waves: Tensor, past: KeysValues | None = None) -> Read:
        """The keys and values of ``x`` (B, S, W) and of all that ``past`` remembers, and those of ``waves``, (R, W) or
        (B, R, W)."""
        keys, values = (self._split(part) for part in self.kv(x).chunk(2, -1))  # (B, H, S, K)
        if past is not None:
            keys, values = past.extend(keys, values)
        return Read(keys=keys, values=values, distances=self._split(self.distance(waves)))

    def forward(self, x: Tensor, look: Look, past: KeysValues | None = None) -> Tensor:
        """``x`` (B, T, W)."""
        assert look.read is not None
        q = self._split(self.q(x))  # (B, H, T, K)
        scaled = q * self.head_width**-0.5
        mask = look.biased(self._far(scaled, look) + self._apart(scaled, look))
        mixed = self.gather(q + self.token_bias[:, None], look.read.keys, look.read.values, mask)
        return self.out(mixed if look.blind is None else mixed.masked_fill(look.blind, 0))  # (B, T, W)

    def _far(self, q: Tensor, look: Look) -> Tensor:
        """How much each token wants to look that far."""
        assert look.read is not None
        bias = self.distance_bias[:, None] * self.head_width**-0.5
        scores = (q + bias) @ look.read.distances.mT  # (B, H, T, R)
        if look.columns is not None:
            return scores.gather(-1, look.columns.expand(-1, q.shape[1], -1, -1))  # (B, H, T, S)
        return aligned(scores, look.read.keys.shape[2])  # (B, H, T, S)

    def _apart(self, q: Tensor, look: Look) -> Tensor:
        """How much each token wants to look into its own segment, or into another."""
        kinds = self.segments.weight.unflatten(1, (-1, self.head_width)).transpose(0, 1)  # (H, 2, K)
        bias = self.segment_bias[:, None] * self.head_width**-0.5
        same, other = ((q + bias) @ kinds.mT).split(1, -1)  # (B, H, T, 1) each
        return same if look.apart is None else torch.where(look.apart, other, same)  # (B, H, T, S)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (-1, self.head_width)).transpose(-2, -3)


def aligned(scores: Tensor, s: int) -> Tensor:
    """From scores by distance to scores by token: what stands in row t moves t places to the left.

    ``scores`` (B, H, T, R) with the distances S ... 1 - T in its columns; the result (B, H, T, S) is a view of it.
    """
    t, r = scores.shape[-2:]
    assert r == s + t
    return scores.flatten(-2)[..., t:].unflatten(-1, (t, r - 1))[..., :s]
