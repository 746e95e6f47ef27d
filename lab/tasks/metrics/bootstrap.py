"""Bootstrap: how far a measure would swing, had the examples been others of the same kind (Efron 1979).

Where all of them agree it has no width; for a share of right answers there is Wilson's interval, which has.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

SAMPLES, SHARE, SEED = 300, 0.95, 0


def interval(measured: Callable[[NDArray[np.int64]], float], stories: Sequence[Sequence[int]]) -> tuple[float, float]:
    """The interval that holds a measure in 95 of 100 samples of as many stories, drawn with replacement; always the
    same ones. Each story is the numbers of the examples that tell it: what is asked of one text is right or wrong
    together (a cluster bootstrap). ``measured`` says what it is on the examples of these numbers."""
    dice = np.random.default_rng(SEED)
    own = [np.asarray(numbers, dtype=np.int64) for numbers in stories]
    values = [measured(np.concatenate([own[n] for n in dice.integers(0, len(own), len(own))])) for _ in range(SAMPLES)]
    low, high = np.quantile(values, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return float(low), float(high)
