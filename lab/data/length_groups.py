"""Length-grouped batches (bucketing): the rows of a batch are about as long, so that little of it is padding (Khomenko
et al. 2016).

An epoch reads all rows, each once, in batches as they would be without groups but for which row goes with which: pools
of many batches are sorted by length, cut into batches, and the batches shuffled, so that none is known by its place.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

POOL = 50  # batches that are sorted together: more leave less padding, and less to chance

Ids = NDArray[np.int64]


def grouped(order: Ids, lengths: Sequence[int], size: int, seed: Sequence[int], first: int = 0) -> Ids:
    """The rows of an epoch in another ``order`` (n,). Its batches have ``size`` rows but for the first, which has the
    ``first`` few, where the epoch before ends inside a batch."""
    dice, long = np.random.default_rng([*seed]), np.asarray(lengths)
    batches = [order[:first]] if first else []
    for start in range(first, len(order), POOL * size):
        pool = order[start : start + POOL * size]
        pool = pool[np.argsort(long[pool], kind="stable")]
        whole = len(pool) // size * size
        cut = np.split(pool[:whole], whole // size) if whole else []
        batches += [cut[number] for number in dice.permutation(len(cut))] + [pool[whole:]]
    return np.concatenate(batches) if batches else order
