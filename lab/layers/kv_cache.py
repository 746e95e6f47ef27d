"""The key-value cache (KV cache): what a decoder keeps of the tokens it has read, so as not to read them again.

B batch   H heads   T new tokens   S tokens so far   K head width
"""

from functools import cached_property
from typing import TypeVar

import torch
from torch import Tensor


class KeysValues:
    """The keys and values of one executed block, in a buffer that doubles when it is full, or no more than ``sums`` of
    them, for linear attention; and what it read last, for a convolution. ``source`` holds those of the source, in a
    block that looks at one."""

    def __init__(self) -> None:
        self.length = 0
        self.sums: Tensor | None = None  # (B, H, K, ·)
        self._buffer: Tensor | None = None  # (2, B, H, room, K)
        self._last: Tensor | None = None  # (B, count, W)

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Remember the new keys and values (B, H, T, K); returns all of them: (B, H, S, K) each."""
        assert self.sums is None, "of what was only summed up the keys are gone"
        b, h, t, k = keys.shape
        end = self.length + t
        # A buffer that doubles is copied log n times in a text of n tokens. One that grew by each token would be copied
        # n times: quadratic, which is what a cache is there to avoid.
        if self._buffer is None or self._buffer.shape[3] < end:
            larger = keys.new_empty(2, b, h, max(2 * self.length, end, 16), k)
            if self._buffer is not None:
                larger[:, :, :, : self.length] = self._buffer[:, :, :, : self.length]
            self._buffer = larger
        self._buffer[0, :, :, self.length : end] = keys
        self._buffer[1, :, :, self.length : end] = values
        self.length = end
        return self.held()

    def sum_up(self, sums: Tensor, tokens: int) -> None:
        """The sums of all tokens so far, behind ``tokens`` more."""
        assert self._buffer is None, "who began to remember keys goes on to"
        self.sums = sums
        self.length += tokens

    @cached_property
    def source(self) -> "KeysValues":
        return KeysValues()

    def held(self) -> tuple[Tensor, Tensor]:
        """All keys and values so far: (B, H, S, K) each."""
        assert self._buffer is not None
        return self._buffer[0, :, :, : self.length], self._buffer[1, :, :, : self.length]

    @property
    def size(self) -> int:
        """How many numbers are remembered of all rows, the room for more left out."""
        own = 0 if self._buffer is None else 2 * self._buffer[0, :, :, : self.length].numel()
        own += 0 if self.sums is None else self.sums.numel()
        return own + (self.source.size if "source" in self.__dict__ else 0)

    def behind(self, x: Tensor, count: int) -> Tensor:
        """``x`` (B, T, W) behind the last ``count`` vectors that were given here before, zeros where there were none:
        (B, count + T, W)."""
        if self._last is None:
            self._last = x.new_zeros(len(x), count, x.shape[2])
        whole = torch.cat([self._last, x], 1)
        # A convolution of so many tokens needs no more of the past than those under its kernel.
        self._last = whole[:, whole.shape[1] - count :]
        return whole

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order: (rows,)."""
        # Beam search goes on with the best texts, some of them twice: what was remembered must move with them.
        if self._buffer is not None:
            self._buffer = self._buffer.index_select(1, rows)
            self.source.select(rows)
        if self._last is not None:
            self._last = self._last.index_select(0, rows)
        if self.sums is not None:
            self.sums = self.sums.index_select(0, rows)


class RecurrentState:
    """What one recurrent layer carries on: tensors whose second dimension is the row, as large after any text."""

    def __init__(self) -> None:
        self.length = 0
        self.state: tuple[Tensor, ...] | None = None  # each (·, B, ·)

    def keep(self, state: tuple[Tensor, ...], tokens: int) -> None:
        """The state behind ``tokens`` more tokens."""
        self.state = state
        self.length += tokens

    @property
    def size(self) -> int:
        """How many numbers are carried on for all rows."""
        return sum(part.numel() for part in self.state or ())

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order: (rows,)."""
        if self.state is not None:
            self.state = tuple(part.index_select(1, rows) for part in self.state)


Memory = TypeVar("Memory", KeysValues, RecurrentState)


class Cache:
    """One memory for each block in the order in which blocks run: a block that runs twelve times has twelve.

    A block of attention keeps KeysValues, which grow with the text, a recurrent layer a RecurrentState, which does not.

    To be used without gradients. ``select`` reorders the rows of the batch, as beam search needs.
    """

    def __init__(self) -> None:
        self._kept: list[KeysValues | RecurrentState] = []

    @property
    def length(self) -> int:
        """How many tokens have been read: the position of the next one."""
        return self._kept[0].length if self._kept else 0

    @property
    def size(self) -> int:
        """How many numbers are remembered in all."""
        return sum(memory.size for memory in self._kept)

    def past(self, run: int) -> KeysValues:
        """What the block that runs as number ``run`` remembers."""
        return self._memory(run, KeysValues)

    def carried(self, run: int) -> RecurrentState:
        """What the recurrent layer that runs as number ``run`` carries on."""
        return self._memory(run, RecurrentState)

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order; a row may be kept more than once: (rows,) int64."""
        for memory in self._kept:
            memory.select(torch.as_tensor(rows))

    def _memory(self, run: int, kind: type[Memory]) -> Memory:
        # Memories are numbered by execution, not by block: a shared block reads something else each time it runs.
        while len(self._kept) <= run:
            self._kept.append(kind())
        memory = self._kept[run]
        assert isinstance(memory, kind)
        return memory
