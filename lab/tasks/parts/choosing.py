"""To choose a class: the likeliest one, how well that goes, and how well it would go without reading.

C classes
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lab.entries import Scores
from lab.examples import Example, Prediction, Unit
from lab.tasks.metrics.calibration import BINS, Bin, expected_error, reliability
from lab.tasks.metrics.classes import accuracy, confusion_matrix, macro_f1, matthews

DRAWN = 20  # classes of which a confusion matrix is kept


def likeliest(
    example: Example, units: Sequence[Unit], scores: Sequence[Scores], labels: Sequence[str], s: Any
) -> Prediction:
    """The class with the highest score, and the softmax of all: of one row's classes, or of several rows."""
    logits = scores[0].reshape(-1).astype(np.float64)  # (C,)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    return Prediction(label=int(logits.argmax()), chances=tuple(chances.tolist()), score=float(chances.max()))


def measure(predictions: Sequence[Prediction], examples: Sequence[Example], labels: Sequence[str]) -> dict[str, Any]:
    """Accuracy, macro F1 and Matthews' correlation; the expected calibration error where the model says how sure it is;
    and, of few classes, how often each was taken for which."""
    named = (max(p.label, e.label or 0) for p, e in zip(predictions, examples, strict=True))
    classes = max(len(labels), 1 + max(named, default=-1))
    taken_for = confusion_matrix([one.label or 0 for one in examples], [one.label for one in predictions], classes)
    measured: dict[str, Any] = {
        "accuracy": round(accuracy(taken_for), 6),
        "macro_f1": round(macro_f1(taken_for), 6),
        "matthews": round(matthews(taken_for), 6),
    }
    if predictions and all(one.chances for one in predictions):
        measured["calibration_error"] = round(expected_error(diagram(predictions, examples)), 6)
    return measured | ({"confusion": taken_for.tolist()} if classes <= DRAWN else {})


def diagram(predictions: Sequence[Prediction], examples: Sequence[Example], bins: int = BINS) -> list[Bin]:
    """The reliability diagram of predictions that say how sure they are."""
    sure = [prediction.chances[prediction.label] for prediction in predictions]
    return reliability(
        sure,
        [prediction.label == (example.label or 0) for prediction, example in zip(predictions, examples, strict=True)],
        bins,
    )


def yardsticks(learnt: Sequence[Example], checked: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """Accuracy of guessing evenly, and of always naming the class that is most common in training; of the latter the
    macro F1, too, which tells how little that is worth where classes are unequal."""
    names, times = np.unique([example.label or 0 for example in learnt], return_counts=True)
    always = measure([Prediction(label=int(names[times.argmax()]))] * len(checked), checked, labels)
    return {
        "even": round(1 / len(labels), 6),
        "majority": always["accuracy"],
        "majority_macro_f1": always["macro_f1"],
    }
