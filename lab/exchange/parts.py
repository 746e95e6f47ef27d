"""Weight conversion: how one tensor of ours is made of theirs, and theirs of ours again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Made:
    """One tensor of ours: the names of theirs that it is made of, and both ways. ``shape`` is the model's settings."""

    of: tuple[str, ...]
    here: Callable[[Sequence[Tensor], Any], Tensor]
    there: Callable[[Tensor, Any], Sequence[Tensor]]
    piece: int | None = None  # where several of ours are pieces of one of theirs: which of them this is

    def numbered(self, number: str) -> "Made":
        """The same of one block."""
        return replace(self, of=tuple(name.replace("*", number) for name in self.of))

    def at(self, end: str) -> "Made":
        """The same of the part's weight or bias."""
        return replace(self, of=tuple(name + end for name in self.of))


Source = str | tuple[str, ...] | Made


def as_made(source: Source) -> Made:
    """A plain name, or several that are stacked in equal parts, written out."""
    return source if isinstance(source, Made) else stacked(*([source] if isinstance(source, str) else source))


def stacked(*names: str, rows: Callable[[Any], Sequence[int]] | None = None) -> Made:
    """Theirs on top of each other; ``rows`` says how many each has where they are not all as many."""

    def there(tensor: Tensor, shape: Any) -> Sequence[Tensor]:
        return tensor.split(list(rows(shape))) if rows else tensor.chunk(len(names))

    return Made(of=names, here=lambda parts, _: parts[0] if len(parts) == 1 else torch.cat(list(parts)), there=there)


def piece(name: str, number: int, count: int = 2) -> Made:
    """One of ``count`` equal pieces of a tensor of theirs, each of which is one of ours."""
    return Made(
        of=(name,), here=lambda parts, _: parts[0].chunk(count)[number], there=lambda tensor, _: [tensor], piece=number
    )


def turned(name: str) -> Made:
    """A map that they store the other way round."""
    return Made(of=(name,), here=lambda parts, _: _turn(parts[0]), there=lambda tensor, _: [_turn(tensor)])


def _turn(tensor: Tensor) -> Tensor:
    return tensor.T if tensor.dim() == 2 else tensor


def rotary(
    queries: str,
    keys: str,
    values: str,
    *,
    head: Callable[[Any], int],
    kv_heads: Callable[[Any], int],
) -> Made:
    """Queries, keys and values on top of each other, where theirs turn each number of a head's first half with one of
    the second and ours turn neighbours."""

    def here(parts: Sequence[Tensor], shape: Any) -> Tensor:
        q, k, v = parts
        return torch.cat([*(_neighbours(table, head(shape)) for table in (q, k)), v])

    def there(tensor: Tensor, shape: Any) -> Sequence[Tensor]:
        rows = head(shape) * kv_heads(shape)
        q, k, v = tensor.split([len(tensor) - 2 * rows, rows, rows])
        return [*(_halves(table, head(shape)) for table in (q, k)), v]

    return Made(of=(queries, keys, values), here=here, there=there)


def _neighbours(rows: Tensor, head: int) -> Tensor:
    """From halves that turn together to neighbours: (H K, ...)."""
    return rows.unflatten(0, (-1, 2, head // 2)).transpose(1, 2).flatten(0, 2)


def _halves(rows: Tensor, head: int) -> Tensor:
    """And back."""
    return rows.unflatten(0, (-1, head // 2, 2)).transpose(1, 2).flatten(0, 2)
