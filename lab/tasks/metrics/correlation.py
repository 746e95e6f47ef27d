"""Correlation of what is said and what is true: Pearson's of the values, Spearman's of their ranks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def pearson(predicted: Sequence[float], true: Sequence[float]) -> float:
    """From -1 to 1; 0 where either never changes."""
    if len({*predicted}) < 2 or len({*true}) < 2:  # a mean is rounded: of equal values it would leave more than zeros
        return 0.0
    one, other = (np.asarray(values, dtype=np.float64) for values in (predicted, true))
    one, other = one - one.mean(), other - other.mean()
    spread = np.sqrt((one @ one) * (other @ other))
    return float(one @ other / spread) if spread > 0 else 0.0


def spearman(predicted: Sequence[float], true: Sequence[float]) -> float:
    """Pearson's correlation of the ranks; equal values share the mean of theirs."""
    return pearson(ranks(predicted).tolist(), ranks(true).tolist())


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """The rank of each value, from 1 up."""
    _, place, times = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = times.cumsum()
    mean: NDArray[np.float64] = (last - (times - 1) / 2)[place]
    return mean
