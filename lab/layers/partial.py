"""Partial prediction: a stack's last block works out only those tokens that a head reads.

Each block but the last says something of all tokens, for the next one to look at. Of what the last one says, masked
language modelling reads a seventh, and a classifier one token of a text. The others are looked at as before, as keys
and values, but do not look themselves; all that is read, and every gradient, stays the same. The name is that of
XLNet's authors, whose query stream answers in this way, too (Yang et al. 2019, section 2.3).

B batch   T tokens   N asked positions   P most read in a row   W width
"""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from lab.batch import Batch

WORTH = 0.5  # the largest share of a row's tokens for which leaving the others out saves time


@dataclass(frozen=True)
class Part:
    """Which tokens of each row are read, and the batch as heads find it where there are no others."""

    places: Tensor  # (B, P)
    batch: Batch


def part_of(batch: Batch, pooled: Literal["first", "last"] | None) -> Part | None:
    """What is read of a batch: the asked positions and, where a whole text is summed up, its first or last token. None
    where so much is read that all may as well be worked out."""
    rows, tokens = batch.shown.shape
    places = batch.shown.new_zeros(rows, 0)
    row = slot = None
    if batch.asked is not None:
        if len(batch.asked) > WORTH * rows * tokens:
            return None
        places, row, slot = by_row(batch.asked, rows, tokens, batch.most)
    if pooled == "first":
        places, slot = functional.pad(places, (1, 0)), None if slot is None else slot + 1
    if pooled == "last":
        last = places.new_full((rows,), tokens - 1) if batch.real is None else last_place(batch.real)  # (B,)
        places = torch.cat([places, last[:, None]], 1)
    if places.shape[1] > WORTH * tokens:
        return None
    asked = None if row is None or slot is None else row * places.shape[1] + slot
    return Part(places, replace(batch, asked=asked, real=None, visible="all"))


def last_place(real: Tensor) -> Tensor:
    """Where the last token of each row of ``real`` (B, T) stands that is not padding: (B,)."""
    return (real * torch.arange(real.shape[1], device=real.device)).argmax(1)


def by_row(asked: Tensor, rows: int, tokens: int, most: int | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The places of the asked positions (N,), gathered by row: (B, P), 0 where a row asks for less; and the row and the
    slot in it of each asked position: (N,) each. ``most`` is P, where it is known."""
    row, place = asked // tokens, asked % tokens
    count = functional.one_hot(row, rows).cumsum(0)  # (N, B)
    slot = count.gather(1, row[:, None])[:, 0] - 1
    places = asked.new_zeros(rows, int(count[-1].max()) if most is None else most)
    places[row, slot] = place
    return places, row, slot


def taken(x: Tensor, places: Tensor) -> Tensor:
    """The states of ``x`` (B, T, W) at ``places`` (B, P): (B, P, W)."""
    flat = places + torch.arange(len(x), device=x.device)[:, None] * x.shape[1]  # (B, P)
    return x.flatten(0, 1).index_select(0, flat.flatten()).unflatten(0, places.shape)
