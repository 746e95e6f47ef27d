"""Sliding-window attention: a token looks at those near it alone, and a text twice as long takes twice the time.

Longformer's band reaches to both sides (Beltagy et al. 2020, section 3.1), Mistral's to the left (Jiang et al. 2023,
section 2). Queries are taken in blocks, and each block is multiplied with the keys that it can reach and no others.

B batch   T tokens that look   S tokens looked at   W width   H heads   G heads of keys and values   K head width
N blocks   R rows: the queries of a block   C columns: the keys that it can reach   F first tokens, seen by all: 1
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.layers.attention import Attention, joined
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask, Band, full_mask, leading_rows

ROWS = 64  # queries of a block, at least: many small products are slower than a few that make too much


class WindowAttention(Attention):
    """Attention to tokens less than ``window`` away."""

    takes_prefix = False  # most would be too far from it
    takes_places = False  # queries are taken in blocks

    def __init__(self, width: int, heads: int, *, window: int, **more: Any) -> None:
        super().__init__(width, heads, **more)
        self.band = Band(window)

    def _mapped(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        return super()._mapped(q, k, v, self.band.within(mask, q.shape[2], k.shape[2], q.device))

    def _fused(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        (b, _, t, _), s = q.shape, k.shape[2]
        rows, columns = self.band.block(t, mask.causal, ROWS)
        if columns >= s or mask.bias is not None:  # all at once is no more
            return super()._fused(q, k, v, self.band.within(mask, t, s, q.device))
        table = self.band.in_blocks(mask, t, s, ROWS, q.device).expand(b, -1, -1, -1)  # (B, N, R, F + C)
        q = functional.pad(q, (0, 0, 0, -t % rows)).unflatten(2, (-1, rows)).transpose(1, 2)  # (B, N, H, R, K)
        margins = self.band.margins(t, s, mask.causal, rows)
        k, v = (self._in_reach(x, margins, columns, rows) for x in (k, v))  # (B * N, G, F + C, K)
        x = super()._fused(q.flatten(0, 1), k, v, AttentionMask(table=table.flatten(0, 1)[:, None]))  # (B * N, H, R, K)
        return x.unflatten(0, (b, -1)).transpose(1, 2).flatten(2, 3)[:, :, :t]  # (B, H, T, K)

    def _in_reach(self, x: Tensor, margins: tuple[int, int], columns: int, rows: int) -> Tensor:
        """The keys or values (B, G, S, K) that each block can reach, a row for each: (B * N, G, F + C, K)."""
        near = functional.pad(x, (0, 0, *margins)).unfold(2, columns, rows).permute(0, 2, 1, 4, 3)  # (B, N, G, C, K)
        if self.band.leading:
            first = x[:, None, :, : self.band.leading].expand(-1, near.shape[1], -1, -1, -1)  # (B, N, G, F, K)
            near = torch.cat([first, near], 3)
        return near.flatten(0, 1)


class GlobalFirst(WindowAttention):
    """Attention in a window, but for the first token, which looks at all and at which all look.

    What it looks for, and what it finds in the others, are projections of their own; the others look at it as at any
    token near them (Beltagy et al. 2020, section 3.1). It, too, sees no more than the exercise lets it see.
    """

    def __init__(self, width: int, heads: int, *, window: int, **more: Any) -> None:
        super().__init__(width, heads, window=window, **more)
        self.band = Band(window, leading=1)
        self.global_qkv = nn.Linear(width, 3 * width)

    def forward(self, x: Tensor, mask: AttentionMask, past: KeysValues | None = None) -> Tensor:
        """``x`` (B, T, W)."""
        q, k, v = self._split(self.qkv(x))  # (B, H, T, K)
        begins = past is None or not past.length  # the first token is read but once
        if past is not None:
            k, v = past.extend(k, v)  # (B, H, S, K)
        if not begins:
            return self.out(self.gather(q, k, v, mask))  # (B, T, W)
        own = self._split(self.global_qkv(x))  # (B, H, T, K) each
        own = own[0][:, :, :1], own[1], own[2]
        if self.watch.watched:
            return self.out(joined(self._both_mapped((q, k, v), own, mask)))
        alone = AttentionMask(table=leading_rows(mask, 1, k.shape[2], x.device))
        first = Attention._fused(self, *own, alone)  # (B, H, 1, K)
        return self.out(joined(torch.cat([first, self._fused(q, k, v, mask)[:, :, 1:]], 2)))  # (B, T, W)

    def started(self, path: str, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """What its own projections start from where ``weights`` come from a model without them: those of the window.
        ``path`` is what stands before this part's names."""
        return {f"{path}global_qkv.{end}": weights[f"{path}qkv.{end}"] for end in ("weight", "bias")}

    def _both_mapped(self, near: tuple[Tensor, ...], own: tuple[Tensor, ...], mask: AttentionMask) -> Tensor:
        """As without a map, of which the first row is the first token's."""
        (q, k, v), (first_q, first_k, first_v) = near, own
        scores = torch.cat([first_q @ first_k.mT, q[:, :, 1:] @ k.mT], 2) * q.shape[-1] ** -0.5  # (B, H, T, S)
        t, s = scores.shape[2:]
        table = full_mask(self.band.within(mask, t, s, q.device), t, s, q.device)
        if table is not None:
            first = leading_rows(mask, 1, s, q.device)
            rows = torch.ones(1, s, dtype=torch.bool, device=q.device) if first is None else first
            table = torch.cat([rows.expand(*table.shape[:-2], -1, -1), table[..., 1:, :]], -2)  # (B or 1, 1, T, S)
            scores = scores.masked_fill(~table, -torch.inf)
        weights = functional.dropout(self.watch(scores.softmax(-1)), self.dropout, self.training)
        return torch.cat([weights[:, :, :1] @ first_v, weights[:, :, 1:] @ v], 2)  # (B, H, T, K)

    def _split(self, qkv: Tensor) -> tuple[Tensor, ...]:
        """Queries, keys and values by heads: (B, H, T, K) each."""
        return qkv.unflatten(-1, (-1, self.head_width)).transpose(1, 2).chunk(3, 1)
