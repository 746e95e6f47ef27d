"""Dice: a counter-based random number generator (RNG) with a stream for each row, chance that can be repeated.

Every row of a batch has a stream of its own, keyed by (seed, row, epoch). What happens to a row therefore depends
neither on its neighbours in the batch nor on how often the lab was stopped and resumed, and whole batches are still
drawn at once. Leave the epoch out of the key and masking is static; put it in and masking is dynamic.

B rows
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_EPOCH, _ROW = np.uint64(0x3C6EF372FE94F82A), np.uint64(0xDAA66D2C7DDF743F)  # so that equal numbers differ by role

_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): 64 bits in, 64 well mixed bits out."""
    x = x ^ (x >> _30)
    x *= _FIRST  # in place: large batches are a matter of memory
    x ^= x >> _27
    x *= _SECOND
    x ^= x >> _31
    return x


class Dice:
    """A random generator with one independent stream per row of a batch."""

    def __init__(self, seed: int, rows: ArrayLike = 0, epoch: ArrayLike = 0) -> None:
        """``rows`` (B,) numbers the rows; ``epoch`` is one number, or (B,) where rows are in different epochs."""
        epochs = np.atleast_1d(np.asarray(epoch, dtype=np.int64)).astype(np.uint64)  # (1,) or (B,)
        keys = np.atleast_1d(np.asarray(rows, dtype=np.int64)).astype(np.uint64)  # (B,)
        start = _mix(_start(seed) ^ _mix(epochs + _EPOCH))
        self._keys = _mix(start ^ _mix(keys + _ROW))  # (B,)
        self._drawn = 0
        self._ready: list[float] = []

    def __len__(self) -> int:
        return len(self._keys)

    def random(self, n: int, at: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """``n`` uniform numbers in [0, 1) for each row: (B, n). Only those ``at`` the flat places b * n + t, where no
        others are needed: (N,)."""
        keys, count = self._keys[:, None], np.arange(n, dtype=np.uint64)  # (B, 1) and (n,)
        if at is not None:
            row, column = np.divmod(at, n)
            keys, count = self._keys[row], column.astype(np.uint64)  # (N,)
        count += np.uint64(self._drawn + 1)
        count *= _GOLDEN
        self._drawn += n
        bits = _mix(keys + count)  # (B, n) or (N,)
        bits >>= _11
        uniform = bits.astype(np.float64)
        uniform *= 2.0**-53
        return uniform

    def one(self) -> float:
        """The next uniform number of the first row, for procedures that draw one at a time."""
        if not self._ready:
            self._ready = self.random(64)[0].tolist()[::-1]
        return self._ready.pop()

    def integers(self, low: int, high: int, n: int, at: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """``n`` uniform whole numbers in [low, high) for each row, (B, n), or those ``at`` flat places, (N,)."""
        return low + (self.random(n, at) * (high - low)).astype(np.int64)


@lru_cache(maxsize=64)
def _start(seed: int) -> NDArray[np.uint64]:
    """What the keys of a seed's rows begin with: (1,)."""
    return _mix(np.array([seed % 2**64], dtype=np.uint64) + _GOLDEN)
