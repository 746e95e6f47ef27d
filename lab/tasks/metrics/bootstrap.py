"""Bootstrap: how far a measure would swing, had the examples been others of the same kind (Efron 1979)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

SAMPLES, SHARE, SEED = 300, 0.95, 0


def interval(measured: Callable[[NDArray[np.int64]], float], examples: int) -> tuple[float, float]:
    """The interval that holds a measure in 95 of 100 samples of as many examples, drawn with replacement; always the
    same ones. ``measured`` says what it is on the examples of these numbers."""
    dice = np.random.default_rng(SEED)
    values = [measured(dice.integers(0, examples, examples)) for _ in range(SAMPLES)]
    low, high = np.quantile(values, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return float(low), float(high)
