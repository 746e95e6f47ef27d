"""Sliding-window attention: a token looks at those near it alone, and a text twice as long takes twice the time.

Longformer's band reaches to both sides (Beltagy et al. 2020, section 3.1), Mistral's to the left (Jiang et al. 2023,
section 2). Queries are taken in blocks, and each block is multiplied with the keys that it can reach and no others.

B batch   T tokens that look   S tokens looked at   H heads   G heads of keys and values   K head width   N blocks
R rows: the queries of a block   C columns: the keys that it can reach
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from lab.batch import AttentionMask
from lab.layers.attention import Attention, full_mask

ROWS = 64  # queries of a block, at least: many small products are slower than a few that make too much


class WindowAttention(Attention):
    """Attention to tokens less than ``window`` away."""

    def __init__(self, width: int, heads: int, *, window: int, **more: Any) -> None:
        super().__init__(width, heads, **more)
        self.window = window

    def _mapped(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        return super()._mapped(q, k, v, self._cut(mask, q.shape[2], k.shape[2], q.device))

    def _fused(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        (b, _, t, _), s = q.shape, k.shape[2]
        rows, columns = block(t, self.window, mask.causal)
        if columns >= s or mask.bias is not None:  # all at once is no more
            return super()._fused(q, k, v, self._cut(mask, t, s, q.device))
        ahead, behind = t - s + self.window - 1, -t % rows + (0 if mask.causal else self.window - 1)  # no tokens there
        q = functional.pad(q, (0, 0, 0, -t % rows)).unflatten(2, (-1, rows)).transpose(1, 2)  # (B, N, H, R, K)
        k, v = (functional.pad(x, (0, 0, ahead, behind)).unfold(2, columns, rows) for x in (k, v))  # (B, G, N, K, C)
        q, k, v = q.flatten(0, 1), _rows(k), _rows(v)  # (B * N, ·, ·, K)
        table = self._blocks(mask, t, s, (ahead, behind), q.device).expand(b, -1, -1, -1)  # (B, N, R, C)
        x = super()._fused(q, k, v, AttentionMask(table=table.flatten(0, 1)[:, None]))  # (B * N, H, R, K)
        return x.unflatten(0, (b, -1)).transpose(1, 2).flatten(2, 3)[:, :, :t]  # (B, H, T, K)

    def _cut(self, mask: AttentionMask, t: int, s: int, device: torch.device) -> AttentionMask:
        """The sight without what is out of reach."""
        if self.window >= s:
            return mask
        table = full_mask(mask, t, s, device)
        who = torch.arange(s - t, s, device=device)[:, None]  # (T, 1)
        near = (torch.arange(s, device=device) - who).abs() < self.window  # (T, S)
        return AttentionMask(table=near if table is None else near & table, bias=mask.bias)

    def _blocks(self, mask: AttentionMask, t: int, s: int, more: tuple[int, int], device: torch.device) -> Tensor:
        """Who in a block may look at whom that it can reach: (B or 1, N, R, C) bool. ``more`` are the columns that lie
        before and behind all tokens."""
        rows, columns = block(t, self.window, mask.causal)
        who = torch.arange(rows, device=device)[:, None]  # (R, 1)
        whom = torch.arange(columns, device=device) - self.window + 1  # (C,)
        near = (whom - who).abs() < self.window  # (R, C)
        if mask.table is not None:
            # Behind the last row all is seen: for some kernels an empty row is not a number.
            wide = functional.pad(functional.pad(mask.table[:, 0], more), (0, 0, 0, -t % rows), value=True)
            table = wide.unfold(1, rows, rows).unfold(2, columns, rows)  # (B or 1, N, N, R, C)
            return near & table.diagonal(dim1=1, dim2=2).movedim(-1, 1)  # (B or 1, N, R, C)
        real = torch.ones(1, s, dtype=torch.bool, device=device) if mask.real is None else mask.real
        there = functional.pad(real, more).unfold(1, columns, rows)[:, :, None]  # (B or 1, N, 1, C)
        near = near & (whom <= who) if mask.causal else near
        return near & there | (whom == who)  # what is no token looks at itself


def _rows(x: Tensor) -> Tensor:
    """The keys or values of each block (B, G, N, K, C), a row for each: (B * N, G, C, K)."""
    return x.permute(0, 2, 1, 4, 3).flatten(0, 1)


def block(t: int, window: int, causal: bool) -> tuple[int, int]:
    """How many queries of ``t`` a block has, and how many keys it can reach."""
    rows = min(t, max(window, ROWS))
    return rows, rows + (window - 1) * (1 if causal else 2)
