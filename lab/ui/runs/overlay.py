"""Several runs on the same axes: their validation losses by step, token, second, epoch or compute, in nats or bits per
byte."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.analysis.cost import step_cost
from lab.runs.folder import TOKENIZER, RunFolder
from lab.runs.run import IMPORTED, Run
from lab.ui.runs.run_log import RunLog, log_of
from lab.ui.shell.visitor import label
from lab.ui.words import say

AXES = ("step", "tokens", "seconds", "epochs", "compute")
SCALES = ("nats", "bits")


def overlaid(folders: Sequence[RunFolder]) -> dict[str, Any]:
    """The runs as the value of a Curve, which changes axis and unit in the browser."""
    return {
        "series": [_line(folder, log_of(folder)) for folder in folders],
        "axes": [[name, say(f"run.{name}")] for name in AXES],
        "scales": [[name, say(f"run.scale.{name}"), say(f"run.{name}")] for name in SCALES],
        "legend": True,
    }


def unlike(folders: Sequence[RunFolder]) -> list[Any]:
    """Why losses are not to be compared, where they are of other texts or other tokens, or answer another question."""
    runs = [folder.run for folder in folders]
    read: dict[str, list[Any]] = {
        "texts": [(run.corpus, _text(run.corpus_settings)) for run in runs],
        "tokens": [
            (run.tokenizer, _text(run.tokenizer_settings), _brought(folder))
            for run, folder in zip(runs, folders, strict=True)
        ],
        "asked": [run.objective for run in runs],
    }
    unlike = [what for what, each in read.items() if len({*each}) > 1]
    if "texts" in unlike:  # then neither unit helps
        unlike = [what for what in unlike if what != "tokens"]
    return [["note", say(f"run.unlike.{what}")] for what in unlike]


def _text(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


def _brought(folder: RunFolder) -> str:
    """A tokenizer that was not trained on the run's text, so that nothing else says what it is."""
    own = folder.path / TOKENIZER
    return own.read_text(encoding="utf-8") if folder.run.tokenizer == IMPORTED and own.exists() else ""


def _line(folder: RunFolder, log: RunLog) -> dict[str, Any]:
    return {
        "name": label(folder.run, folder),
        **log.valid.part(),
        "by": _by(log, folder.run),
        "times": {"nats": 1, "bits": _bits(log)},
    }


def _by(log: RunLog, run: Run) -> dict[str, list[float]]:
    """Where each validation stands on every axis; an axis that is not known is left out."""
    steps, trained = np.array(log.valid.x, dtype=float), np.array([0, *log.loss.x], dtype=float)
    if len(trained) != len(log.tokens) + 1:  # another thread is reading on
        return {}
    places = {name: np.interp(steps, trained, [0.0, *told]) for name, told in _told(log)}
    if rows := log.begin.get("rows"):
        places["epochs"] = steps * run.plan.batch / rows
    if vocabulary := log.begin.get("vocabulary"):
        cost = step_cost(run, vocabulary)
        if operations := cost.forward + cost.backward:  # of a model without matrix products there are none to count
            places["compute"] = steps * operations / 1e12
    return {name: [float(f"{value:.9g}") for value in place] for name, place in places.items()}


def _told(log: RunLog) -> list[tuple[str, list[float]]]:
    return [("tokens", [float(n) for n in log.tokens]), ("seconds", log.seconds)]


def _bits(log: RunLog) -> float | None:
    """Bits per byte of a nat per token; None of a run that does not say how long its tokens are."""
    length = log.begin.get("bytes_per_token")
    return round(1 / math.log(2) / length, 6) if length else None
