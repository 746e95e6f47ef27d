"""Attention masks: who may look at whom. An exercise, padding, the order of reading and nearness say so, and here, and
nowhere else, what they say is combined: the causal mask of a decoder, the padding mask, the window of local attention.

Nobody looks at padding. What is padding, or may look at nobody, looks at itself, so that no row of a softmax is empty;
nobody reads what it sees. With a cache, or behind what is remembered, those who look are the last T of the S.

B batch   T tokens that look   S tokens looked at   M tokens remembered   P places   K tokens around one
N blocks of queries   R rows: the queries of a block   C columns: the keys that it can reach
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional

from lab.batch import Batch


@dataclass(frozen=True, kw_only=True)
class AttentionMask:
    """The attention mask: who may look at whom. A ``table`` says it; without one every token looks at all that are
    ``real`` or, where ``causal``, at those of them that do not come later: so much can be known without a table.
    ``bias`` is added to the scores of those who may. ``only`` are those who look, where not all do."""

    causal: bool = False
    table: Tensor | None = None  # (B or 1, 1, T, S) bool, True where t may look at s
    real: Tensor | None = None  # (B, T) bool, False at padding; None where there is none, or a table leaves it out
    bias: Tensor | None = None  # (B or 1, H, T, S)
    only: Tensor | None = None  # (B, P) the places of those who look; they look as they would among all

    @cached_property
    def full(self) -> Tensor | None:
        """The table, written out where there is padding: (B or 1, 1, T, S). None if there is no more than an order."""
        if self.real is None:
            return self.table
        # Only here does a causal mask become T x T numbers: kernels that know the order need no table at all.
        t = self.real.shape[1]
        table = torch.ones(1, t, t, dtype=torch.bool, device=self.real.device)
        return _unpadded(table.tril() if self.causal else table, self.real)[:, None]

    def biased(self, bias: Tensor) -> "AttentionMask":
        """The same mask with a ``bias`` (B or 1, H, T, S)."""
        return AttentionMask(causal=self.causal, table=self.full, bias=bias)

    def seen_from(self, only: Tensor) -> "AttentionMask":
        """The same mask for those alone who look from the places ``only`` (B, P)."""
        return AttentionMask(causal=self.causal, table=self.full, bias=self.bias, only=only)


def attention_mask(batch: Batch) -> AttentionMask:
    """The exercise's visibility and the padding, combined."""
    if isinstance(batch.visible, str):
        return AttentionMask(causal=batch.visible == "causal", real=batch.real)
    table = batch.visible if batch.visible.dim() == 3 else batch.visible[None]  # (B or 1, T, T)
    return AttentionMask(table=(table if batch.real is None else _unpadded(table, batch.real))[:, None])


def source_mask(batch: Batch) -> AttentionMask:
    """Whom a decoder may look at in the source: everybody but padding."""
    return AttentionMask(table=None if batch.source_real is None else batch.source_real[:, None, None, :])


def others_mask(batch: Batch) -> Tensor:
    """Which tokens stand around each: the exercise's table, or all but the token itself where it has none; and no
    padding, though nobody may be left: (B, T, T) bool."""
    rows, t = batch.shown.shape
    if isinstance(batch.visible, Tensor):
        table = batch.visible.expand(rows, t, t)
    else:
        table = ~torch.eye(t, dtype=torch.bool, device=batch.shown.device).expand(rows, t, t)
    return table if batch.real is None else table & batch.real[:, None, :]


def full_mask(mask: AttentionMask, t: int, s: int, device: torch.device) -> Tensor | None:
    """Who may look at whom, as a table; None where everybody sees all. With a cache, those who look are the last."""
    if mask.full is not None or not mask.causal:
        return mask.full
    return None if t == 1 else torch.ones(t, s, dtype=torch.bool, device=device).tril(s - t)  # (T, S)


def rows_of(mask: AttentionMask, places: Tensor, t: int) -> AttentionMask:
    """The mask of those who look from ``places`` (B, P) of rows of ``t`` tokens at all of these."""
    assert mask.bias is None, "a bias belongs to all who look"
    table = full_mask(mask, t, t, places.device)  # (B or 1, 1, T, T), or (T, T)
    if table is None:
        return AttentionMask()
    rows = places[:, None, :, None].expand(-1, 1, -1, t)  # (B, 1, P, T)
    return AttentionMask(table=table.expand(len(places), 1, t, t).gather(2, rows))


def behind_memory(mask: AttentionMask, remembered: int) -> AttentionMask:
    """The mask of a row before which M tokens are ``remembered``, at all of which everybody may look."""
    table = None if mask.full is None else functional.pad(mask.full, (remembered, 0), value=True)  # (B or 1, 1, T, S)
    bias = None if mask.bias is None else functional.pad(mask.bias, (remembered, 0))  # (B or 1, H, T, S)
    return AttentionMask(causal=mask.causal and table is None, table=table, bias=bias)


def query_mask(content: AttentionMask, places: Tensor, t: int, remembered: int) -> Tensor:
    """Whom a query at ``places`` (B, P) may look at: whom its token may, but for the token itself: (B, 1, P, S) bool. A
    row may be empty."""
    tokens = torch.arange(-remembered, t, device=places.device)  # (S,) where those looked at stand
    rows = places[:, None, :, None].expand(-1, 1, -1, len(tokens))  # (B, 1, P, S)
    table = tokens != rows
    if content.causal:
        return table & (tokens <= rows)
    return table if content.table is None else table & content.table.expand(len(places), -1, -1, -1).gather(2, rows)


def around_mask(mask: AttentionMask, t: int, reach: int, device: torch.device) -> Tensor | None:
    """Which of those up to ``reach`` away a token may look at: (B or 1, T, K) bool; None where everybody sees all."""
    steps = torch.arange(-reach, reach + 1, device=device)  # (K,)
    if mask.full is None:
        return (steps <= 0).expand(1, t, -1) if mask.causal else None
    places = torch.arange(t, device=device)[:, None] + steps  # (T, K)
    return mask.full[:, 0].gather(-1, places.clamp(0, t - 1).expand(len(mask.full), -1, -1))


@dataclass(frozen=True)
class Band:
    """A window: each token looks at those less than ``reach`` away and, wherever it stands, at the ``leading`` ones."""

    reach: int
    leading: int = 0

    def within(self, mask: AttentionMask, t: int, s: int, device: torch.device) -> AttentionMask:
        """The mask without what is out of reach."""
        if self.reach >= s:
            return mask
        table = full_mask(mask, t, s, device)
        who, whom = torch.arange(s - t, s, device=device)[:, None], torch.arange(s, device=device)  # (T, 1), (S,)
        near = ((whom - who).abs() < self.reach) | (whom < self.leading)  # (T, S)
        return AttentionMask(table=near if table is None else near & table, bias=mask.bias)

    def block(self, t: int, causal: bool, least: int) -> tuple[int, int]:
        """How many queries of ``t`` a block has, ``least`` or more where there are so many, and how many keys around
        them it can reach."""
        rows = min(t, max(self.reach, least))
        return rows, rows + (self.reach - 1) * (1 if causal else 2)

    def margins(self, t: int, s: int, causal: bool, rows: int) -> tuple[int, int]:
        """How many columns lie before the first key and behind the last, where there are no tokens."""
        return t - s + self.reach - 1, -t % rows + (0 if causal else self.reach - 1)

    def in_blocks(self, mask: AttentionMask, t: int, s: int, least: int, device: torch.device) -> Tensor:
        """Who in a block may look at whom that it can reach, the leading tokens in front: (B or 1, N, R, leading + C)
        bool."""
        rows, columns = self.block(t, mask.causal, least)
        margins = self.margins(t, s, mask.causal, rows)
        who = torch.arange(rows, device=device)[:, None]  # (R, 1)
        whom = torch.arange(columns, device=device) - self.reach + 1  # (C,)
        near = (whom - who).abs() < self.reach  # (R, C)
        if mask.table is not None:
            # Behind the last row all is seen: for some kernels an empty row is not a number.
            down = functional.pad(mask.table[:, 0], (0, 0, 0, -t % rows), value=True)  # (B or 1, N * R, S)
            wide = functional.pad(self._others(down), margins)
            blocks = wide.unfold(1, rows, rows).unfold(2, columns, rows)  # (B or 1, N, N, R, C)
            table = near & blocks.diagonal(dim1=1, dim2=2).movedim(-1, 1)  # (B or 1, N, R, C)
            return self._beside(down[:, :, : self.leading].unflatten(1, (-1, rows)), table)
        real = torch.ones(1, s, dtype=torch.bool, device=device) if mask.real is None else mask.real
        there = functional.pad(self._others(real), margins).unfold(1, columns, rows)[:, :, None]  # (B or 1, N, 1, C)
        near = near & (whom <= who) if mask.causal else near
        table = near & there | (whom == who)  # (B or 1, N, R, C): what is no token looks at itself
        return self._beside(real[:, None, None, : self.leading].expand(-1, table.shape[1], rows, -1), table)

    def _others(self, seen: Tensor) -> Tensor:
        """Those looked at (..., S) without the leading ones, which stand apart."""
        return functional.pad(seen[..., self.leading :], (self.leading, 0)) if self.leading else seen

    def _beside(self, leading: Tensor, table: Tensor) -> Tensor:
        return torch.cat([leading, table], -1) if self.leading else table


def leading_rows(mask: AttentionMask, count: int, s: int, device: torch.device) -> Tensor | None:
    """Whom the first ``count`` tokens may look at: (B or 1, 1, count, S) bool or as (count, S); None where at all."""
    table = mask.full
    if table is not None:
        return table[:, :, :count]
    return torch.ones(count, s, dtype=torch.bool, device=device).tril() if mask.causal else None


def _unpadded(table: Tensor, real: Tensor) -> Tensor:
    """The table (B or 1, T, T) in which nobody looks at padding (B, T), which looks at itself."""
    own = torch.eye(real.shape[1], dtype=torch.bool, device=real.device)
    return table & real[:, None, :] | own & ~real[:, :, None]
