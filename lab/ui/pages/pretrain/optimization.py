"""Optimization step by step: the norm of the gradient, before it is clipped, and the learning rate."""

from collections.abc import Sequence
from typing import Any

from lab.runs.run import Run
from lab.ui.runs.run_log import Points, RunLog
from lab.ui.words import say

CURVES = ("gradient_norm", "learning_rate")  # what is measured, as the words call it
NAMES = tuple(f"{measure} curve" for measure in CURVES)  # on the page, where a control is called learning_rate


def lengths(log: RunLog) -> list[int]:
    """How many points each curve has."""
    return [len(line) for line in _points(log)]


def optimization_curves(log: RunLog, run: Run, name: str, before: Sequence[int], now: Sequence[int]) -> dict[str, Any]:
    """Both curves by their names on the page, from the points that were sent ``before`` up to those of ``now``."""
    clipped = [{"name": say("run.clip"), "y": run.plan.clip}]
    return {
        called: {
            "series": [{"name": say(f"run.{key}"), **line.part(start, end)}],
            "from": [start],
            "key": f"{name}:{log.number}:{key}",
            "baselines": clipped if key == "gradient_norm" and len(line) else [],
            "x": say("run.step"),
            "y": say(f"run.{key}"),
            "until": log.last.get("of") if len(line) else None,
            "empty": say("run.unrecorded"),
        }
        for called, key, line, start, end in zip(NAMES, CURVES, _points(log), before, now, strict=True)
    }


def _points(log: RunLog) -> tuple[Points, Points]:
    return log.gradient_norm, log.learning_rate
