"""Class weights: where classes are unequal, a rare one counts for more (King and Zeng 2001)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.examples import Example


def occurrences(examples: Sequence[Example], classes: int) -> NDArray[np.int64]:
    """How often each class is an answer: (C,)."""
    numbers = [number for example in examples for number in (example.tags or (example.label or 0,))]
    return np.bincount(numbers, minlength=classes)


def class_weights(examples: Sequence[Example], classes: int) -> NDArray[np.float32]:
    """By how much each class counts: inverse to its frequency, so that all of those that occur count alike together,
    and an answer counts as one on average. A class that nobody has counts as one: (C,)."""
    times = occurrences(examples, classes)
    weights = times.sum() / (np.maximum(times, 1) * (times > 0).sum())
    return np.where(times > 0, weights, 1.0).astype(np.float32)
