"""Attention, written once: every token gathers from the tokens it may look at (Vaswani et al. 2017, section 3.2).

B batch   T tokens that look   S tokens looked at   W width   H heads   K head width
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Sight
from lab.layers.cache import Past
from lab.layers.watch import Watch
from lab.settings import SettingsError


class Attention(nn.Module):
    """Multi-head attention. While its ``watch`` is watched it computes the map, else it uses the fused kernel."""

    def __init__(self, width: int, heads: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.qkv = nn.Linear(width, 3 * width)  # queries, keys and values in one product
        self.out = nn.Linear(width, width)
        self.watch = Watch()

    def forward(self, x: Tensor, sight: Sight, past: Past | None = None) -> Tensor:
        b, t, w = x.shape
        q, k, v = (part.view(b, t, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))  # (B, H, T, K)
        if past is not None:
            k, v = past.extend(k, v)  # (B, H, S, K)
        mix = self._mapped if self.watch.watched else self._fused
        mixed = mix(q, k, v, sight)  # (B, H, T, K)
        return self.out(mixed.transpose(1, 2).reshape(b, t, w))  # (B, T, W)

    def _mapped(self, q: Tensor, k: Tensor, v: Tensor, sight: Sight) -> Tensor:
        scores = q @ k.mT * q.shape[-1] ** -0.5  # (B, H, T, S)
        table = _table(sight, q.shape[2], k.shape[2], q.device)
        if table is not None:
            scores = scores.masked_fill(~table, -torch.inf)
        weights = self.watch(scores.softmax(-1))  # (B, H, T, S)
        return functional.dropout(weights, self.dropout, self.training) @ v

    def _fused(self, q: Tensor, k: Tensor, v: Tensor, sight: Sight) -> Tensor:
        square = sight.causal and q.shape[2] == k.shape[2]  # the only causal table that the kernel knows by itself
        table = None if square else _table(sight, q.shape[2], k.shape[2], q.device)
        rate = self.dropout if self.training else 0.0
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=table, dropout_p=rate, is_causal=square)


def _table(sight: Sight, t: int, s: int, device: torch.device) -> Tensor | None:
    """Who may look at whom, written out; None where everybody sees all. With a cache, those who look are the last."""
    if not sight.causal:
        return sight.table
    return None if t == 1 else torch.ones(t, s, dtype=torch.bool, device=device).tril(s - t)  # (T, S)


def check_heads(width: int, heads: int) -> None:
    """Raise SettingsError unless the heads share the width out evenly."""
    if width % heads:
        raise SettingsError(
            f"width {width} is not a multiple of heads {heads}", f"宽度 {width} 不是注意力头数 {heads} 的整数倍"
        )
