"""Calibration of the arms: reliability diagrams on one chart, and the expected calibration error of each."""

from collections.abc import Sequence
from typing import Any

from lab.examples import Example, Prediction
from lab.tasks.metrics.calibration import Bin, expected_error
from lab.tasks.parts.choosing import diagram
from lab.ui.pages.finetune.arms import COLOURS
from lab.ui.shell.figures import percent
from lab.ui.words import say

NO_DIAGRAM: dict[str, Any] = {"series": [], "empty": say("finetune.calibration.empty"), "dials": False, "height": 300}
NO_ERRORS: dict[str, Any] = {"columns": [], "rows": [], "empty": say("finetune.calibration.empty")}
PERFECT = {"name": say("finetune.calibration.perfect"), "x": [0.0, 1.0], "y": [0.0, 1.0], "ghost": True, "dash": ""}

Answers = tuple[Sequence[Prediction], Sequence[Example]]


def diagrams(names: Sequence[Any], answers: Sequence[Answers]) -> dict[str, Any]:
    """The accuracy of each arm over its confidence, bin by bin, beside the diagonal: the value of a Curve."""
    lines = [
        {"name": name, "colour": colour, "dots": True, **_line(diagram(*each))}
        for name, colour, each in zip(names, COLOURS, answers, strict=False)
    ]
    drawn = NO_DIAGRAM | {"series": [*lines, PERFECT | {"colour": "original"}], "low": 0, "high": 1, "legend": True}
    return drawn | {"x": say("finetune.calibration.confidence"), "y": say("finetune.calibration.accuracy")}


def _line(bins: Sequence[Bin]) -> dict[str, list[float]]:
    held = [each for each in bins if each.count]
    return {"x": [round(each.confidence, 5) for each in held], "y": [round(each.accuracy, 5) for each in held]}


def errors(names: Sequence[Any], answers: Sequence[Answers]) -> dict[str, Any]:
    """The expected calibration error of each arm, between its mean confidence and its accuracy: the value of a
    Table."""
    heads = ("arm", "error", "sure", "accuracy")
    rows = []
    for name, (said, examples) in zip(names, answers, strict=True):
        bins = diagram(said, examples)
        sure = sum(each.count * each.confidence for each in bins) / max(len(said), 1)
        right = sum(each.count * each.accuracy for each in bins) / max(len(said), 1)
        rows.append([name, percent(expected_error(bins)), percent(sure), percent(right)])
    return {"columns": [say(f"finetune.calibration.{head}") for head in heads], "rows": rows, "empty": ""}
