"""Padding: rows of different lengths as one table, and which of its cells are real (the padding mask).

Padding stands on the right: positions are counted from a row's first token, and no token has to know how long the other
rows of its batch are. Who may not look at padding is said by ``lab/layers/masks.py``;
padding is never asked, so that it adds nothing to a loss.

B rows   T tokens of the longest row
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.int64], NDArray[np.bool_]]  # ids, and the padding mask: False at padding, (B, T) each


def padded(rows: Sequence[NDArray[np.int64]], pad: int) -> Rows:
    """Rows as one table, with padding behind all but the longest."""
    lengths = np.array([len(row) for row in rows])  # (B,)
    real = np.arange(lengths.max(initial=0)) < lengths[:, None]  # (B, T)
    table = np.full(real.shape, pad, dtype=np.int64)  # (B, T)
    # Cells are filled row by row, and the rows follow each other in the same order: no loop is needed.
    table[real] = np.concatenate(rows)
    return table, real


def closed_up(ids: NDArray[np.int64], kept: NDArray[np.bool_], pad: int) -> Rows:
    """What is ``kept`` of each row, moved together, and padding behind all but the longest."""
    lengths = kept.sum(1)  # (B,)
    real = np.arange(lengths.max(initial=0)) < lengths[:, None]  # (B, T)
    table = np.full(real.shape, pad, dtype=np.int64)  # (B, T)
    table[real] = ids[kept]
    return table, real
