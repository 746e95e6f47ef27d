"""Metrics of classification: accuracy, macro F1 and Matthews' correlation, all from one confusion matrix.

C classes
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.int64]


def confusion_matrix(truths: Sequence[int], named: Sequence[int], classes: int) -> Table:
    """How often each class was taken for which, (C, C): rows are the true classes."""
    taken_for = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(taken_for, (np.asarray(truths, dtype=np.int64), np.asarray(named, dtype=np.int64)), 1)
    return taken_for


def accuracy(taken_for: Table) -> float:
    """The share of right answers."""
    return float(taken_for.trace() / max(taken_for.sum(), 1))


def macro_f1(taken_for: Table) -> float:
    """The mean over classes of the harmonic mean of precision and recall, of a confusion matrix (C, C) whose rows are
    the true classes. A class that neither is there nor is named does not count."""
    right, named = taken_for.diagonal(), taken_for.sum(0) + taken_for.sum(1)
    there = named > 0
    return float((2 * right[there] / named[there]).mean()) if there.any() else 0.0


def matthews(taken_for: Table) -> float:
    """Matthews' correlation coefficient of truth and answer, of any number of classes (Gorodkin 2004): 0 for whoever
    guesses or always says the same."""
    table = taken_for.astype(np.float64)
    true, named, whole = table.sum(1), table.sum(0), table.sum()
    spread = (whole**2 - true @ true) * (whole**2 - named @ named)
    return float((table.trace() * whole - true @ named) / spread**0.5) if spread > 0 else 0.0
