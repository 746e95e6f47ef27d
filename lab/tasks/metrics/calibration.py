"""Calibration: whether a classifier that says 80 % is right 80 times in 100.

Reliability diagram and expected calibration error as in Guo et al. 2017, "On calibration of modern neural networks",
section 2. Predictions are sorted by their confidence, the probability of the class that is named, into bins of equal
width (low, high], the first of which holds 0 too. In each bin the accuracy stands beside the mean confidence; the error
is the mean of their distances over all predictions: sum over bins of n_bin / n * |accuracy - confidence|.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Predictions of about the same confidence: how many, how sure they are on average, and how many are right."""

    low: float
    high: float
    count: int
    confidence: float  # mean; 0 in an empty bin
    accuracy: float  # share; 0 in an empty bin

    @property
    def gap(self) -> float:
        """By how much it is too sure; below 0 where it is not sure enough."""
        return self.confidence - self.accuracy


def reliability(confidences: Sequence[float], right: Sequence[bool], bins: int = BINS) -> list[Bin]:
    """The bins of a reliability diagram, empty ones among them."""
    sure, hits = np.asarray(confidences, dtype=np.float64), np.asarray(right, dtype=np.float64)
    into = np.clip(np.ceil(sure * bins).astype(np.int64) - 1, 0, bins - 1)
    counts = np.bincount(into, minlength=bins)  # (bins,)
    means = [np.bincount(into, weights=values, minlength=bins) / np.maximum(counts, 1) for values in (sure, hits)]
    return [
        Bin(number / bins, (number + 1) / bins, int(count), float(confidence), float(accuracy))
        for number, (count, confidence, accuracy) in enumerate(zip(counts, *means, strict=True))
    ]


def expected_error(diagram: Sequence[Bin]) -> float:
    """Expected calibration error, 0 to 1; 0 where there are no predictions."""
    whole = sum(bar.count for bar in diagram)
    return sum(bar.count * abs(bar.gap) for bar in diagram) / max(whole, 1)
