"""Padding: rows of different lengths as one table, and which of its cells are real."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.int64], NDArray[np.bool_]]  # ids and where they are no padding, (B, T) each


def padded(rows: Sequence[NDArray[np.int64]], pad: int) -> Rows:
    """Rows as one table, padded to the longest."""
    lengths = np.array([len(row) for row in rows])
    real = np.arange(lengths.max(initial=0)) < lengths[:, None]
    table = np.full(real.shape, pad, dtype=np.int64)
    table[real] = np.concatenate(rows)
    return table, real


def closed_up(ids: NDArray[np.int64], kept: NDArray[np.bool_], pad: int) -> Rows:
    """What is ``kept`` of each row, moved together and padded to the longest."""
    lengths = kept.sum(1)
    real = np.arange(lengths.max(initial=0)) < lengths[:, None]
    table = np.full(real.shape, pad, dtype=np.int64)
    table[real] = ids[kept]
    return table, real
