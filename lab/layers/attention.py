"""Attention, written once: every token gathers from the tokens it may look at (Vaswani et al. 2017, section 3.2).

B batch   T tokens that look   S tokens looked at   W width   H heads   G key-value heads   K head width
"""

from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask, full_mask, rows_of
from lab.layers.prefix import Prefix
from lab.layers.watch import Watch
from lab.settings import SettingsError


class Rotation(Protocol):
    """Turns queries and keys by where their tokens stand, the first of them at ``start``."""

    def __call__(self, q: Tensor, k: Tensor, start: int) -> tuple[Tensor, Tensor]: ...


class Attending(nn.Module):
    """What every kind of attention does once it has queries, keys and values.

    While its ``watch`` is watched it computes the map, else it uses the fused kernel. Each kind ends in ``out``. Its
    ``met`` sees queries, keys, values and the mask, as they meet.
    """

    out: nn.Linear
    takes_prefix = False  # whether learned keys and values may stand in front of those of the text
    takes_places = False  # whether only some of the tokens may look

    def __init__(self, *, scale: float | None = None, dropout: float = 0.0) -> None:
        """``scale`` multiplies the scores: one over the root of the head's width if left out."""
        super().__init__()
        self.scale = scale
        self.dropout = dropout
        self.watch = Watch()
        self.met = Watch()

    def gather(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        """What each token makes of those it looks at: ``q`` (B, H, T, K), ``k`` and ``v`` (B, G, S, K)."""
        q, k, v, mask = self.met((q, k, v, mask))
        mix = self._mapped if self.watch.watched else self._fused
        return joined(mix(q, k, v, mask))

    def _mapped(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        k, v = for_all(q, k, v)  # (B, H, S, K)
        # How well each query agrees with each key. A sum of K products grows with K; divided by its root it does not,
        # and the softmax stays soft.
        scores = q @ k.mT * (q.shape[-1] ** -0.5 if self.scale is None else self.scale)  # (B, H, T, S)
        if mask.bias is not None:
            scores = scores + mask.bias
        table = full_mask(mask, q.shape[2], k.shape[2], q.device)
        # Who may not be looked at gets minus infinity, of which the softmax makes exactly 0.
        if table is not None:
            scores = scores.masked_fill(~table, -torch.inf)
        # Each row sums to 1: a token takes the mean of the values, weighted by this map.
        weights = self.watch(scores.softmax(-1))  # (B, H, T, S)
        return functional.dropout(weights, self.dropout, self.training) @ v

    def _fused(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        # The same in one kernel, which never writes the map down: for long texts the map is most of the memory. Where
        # nothing but the order counts the kernel needs no table either.
        plain = mask.causal and mask.full is None and mask.bias is None
        square = plain and q.shape[2] == k.shape[2]  # which the kernel knows by itself
        table = None if square else full_mask(mask, q.shape[2], k.shape[2], q.device)
        if mask.bias is not None:
            table = mask.bias if table is None else mask.bias.masked_fill(~table, -torch.inf)
        rate, shared = self.dropout if self.training else 0.0, k.shape[1] != q.shape[1]
        return functional.scaled_dot_product_attention(
            q, k, v, attn_mask=table, dropout_p=rate, is_causal=square, scale=self.scale, enable_gqa=shared
        )


class Attention(Attending):
    """Multi-head attention of a sequence to itself."""

    takes_prefix = True
    takes_places = True

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        head_width: int | None = None,
        kv_heads: int | None = None,
        bias: bool = True,
        out_bias: bool | None = None,
        rotary: Rotation | None = None,
        scale: float | None = None,
        dropout: float = 0.0,
    ) -> None:
        """``kv_heads`` are the heads of keys and values, ``heads`` if left out; ``out_bias`` is as ``bias``."""
        super().__init__(scale=scale, dropout=dropout)
        self.heads, self.kv_heads = heads, kv_heads or heads
        self.head_width = head_width or width // heads
        inner = (heads + 2 * self.kv_heads) * self.head_width
        self.qkv = nn.Linear(width, inner, bias=bias)  # queries, keys and values in one product
        self.out = nn.Linear(heads * self.head_width, width, bias=bias if out_bias is None else out_bias)
        self.rotary = rotary
        self.prefix: Prefix | None = None  # which fine-tuning may set

    def forward(self, x: Tensor, mask: AttentionMask, past: KeysValues | None = None) -> Tensor:
        """``x`` (B, T, W). Where only P look, there are as many tokens in the end: (B, P, W)."""
        # One product for all three, then heads apart: small products side by side would leave the processor idle.
        qkv = self.qkv(x).unflatten(-1, (-1, self.head_width)).transpose(1, 2)  # (B, H + 2 G, T, K)
        q, k, v = qkv.split((self.heads, self.kv_heads, self.kv_heads), 1)
        # Positions enter here and nowhere else: values carry what a token says, not where it stands.
        if self.rotary is not None:
            q, k = self.rotary(q, k, past.length if past else 0)
        if mask.only is not None:
            q = q.gather(2, mask.only[:, None, :, None].expand(-1, self.heads, -1, self.head_width))  # (B, H, P, K)
            mask = rows_of(mask, mask.only, k.shape[2])
        return self.out(self.look(q, k, v, mask, past))  # (B, T, W)

    def look(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask, past: KeysValues | None) -> Tensor:
        """As ``gather``, of these keys and values and of all that ``past`` remembers."""
        if past is not None:
            k, v = past.extend(k, v)  # (B, G, S, K)
        if self.prefix is not None:
            k, v, mask = self.prefix(k, v, mask)  # (B, G, P + S, K)
        return self.gather(q, k, v, mask)  # (B, T, H * K)


class CrossAttention(Attending):
    """Multi-head attention of one sequence to another, whose keys and values are worked out but once."""

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        head_width: int | None = None,
        bias: bool = True,
        scale: float | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(scale=scale, dropout=dropout)
        self.head_width = head_width or width // heads
        inner = heads * self.head_width
        self.q = nn.Linear(width, inner, bias=bias)
        self.kv = nn.Linear(width, 2 * inner, bias=bias)
        self.out = nn.Linear(inner, width, bias=bias)

    def forward(self, x: Tensor, source: Tensor | None, mask: AttentionMask, past: KeysValues | None = None) -> Tensor:
        """``x`` (B, T, W) looks at ``source`` (B, S, W), which is not asked for again once ``past`` holds it."""
        q = self._split(self.q(x))  # (B, H, T, K)
        # The source does not change while the answer is written: its keys and values are made at the first step and
        # kept.
        if past is not None and past.length:
            k, v = past.held()
        else:
            assert source is not None
            k, v = (self._split(part) for part in self.kv(source).chunk(2, -1))  # (B, H, S, K)
            if past is not None:
                k, v = past.extend(k, v)
        return self.out(self.gather(q, k, v, mask))  # (B, T, W)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (-1, self.head_width)).transpose(1, 2)


def for_all(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values (B, G, S, K) for each head of the queries: one head of keys serves as many neighbours."""
    # Grouped-query attention: heads of queries stand in groups, each of which shares one head of keys and values.
    shared = q.shape[1] // k.shape[1]
    return (k, v) if shared == 1 else (k.repeat_interleave(shared, 1), v.repeat_interleave(shared, 1))  # (B, H, S, K)


def joined(x: Tensor) -> Tensor:
    """The heads (B, H, T, K) side by side."""
    return x.transpose(1, 2).flatten(2)  # (B, T, H * K)


def check_heads(width: int, heads: int) -> None:
    """Raise SettingsError unless the heads share the width out evenly."""
    if width % heads:
        raise SettingsError(
            f"width {width} is not a multiple of heads {heads}", f"隐藏维度 {width} 不是注意力头数 {heads} 的整数倍"
        )


def check_kv_heads(heads: int, kv_heads: int | None) -> None:
    """Raise SettingsError unless each head of keys and values serves as many heads of queries."""
    if kv_heads is not None and heads % kv_heads:
        raise SettingsError(
            f"heads {heads} is not a multiple of kv_heads {kv_heads}",
            f"注意力头数 {heads} 不是键值头数 {kv_heads} 的整数倍",
        )
