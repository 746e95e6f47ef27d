"""The numbers of a run in tiles: its validation loss beside the baselines, its speed, its time and its steps."""

import math
from typing import Any

from lab.analysis.forecast import NOTED
from lab.catalog import MODELS
from lab.data.batches import CHECK_ROWS
from lab.runs.folder import GOING, RunFolder
from lab.runs.run import Run
from lab.ui.runs.run_log import RunLog
from lab.ui.shell.figures import clock, grouped, percent, size_of
from lab.ui.words import say

LINES = ("uniform", "unigram", "bigram")  # the baselines of pretraining, from the weakest up


def tiles(folder: RunFolder, run: Run, log: RunLog, status: str) -> list[dict[str, Any]]:
    """How good the run is, how fast, and how far. When it ends it is measured once more, and where it came to its own
    end on the whole of the validation text."""
    last = folder.document("result.json").get("validation") if status not in GOING else None
    check = last or log.check
    loss = _loss(check, log)
    if last and status == "finished" and "note" in loss and log.check.get("loss") != last.get("loss"):
        loss["note"] = say("run.last", note=loss["note"], n=CHECK_ROWS)
    return [
        loss,
        *_pair(run, check),
        *_recurring(log),
        _speed(log),
        _time(run, log, status),
        _steps(folder, log, status),
    ]


def _loss(check: dict[str, Any], log: RunLog) -> dict[str, Any]:
    """The validation loss, the perplexity that it is, and the best baseline that it is below."""
    value, lines = check.get("loss"), log.begin.get("baselines", {})
    tile: dict[str, Any] = {"name": say("run.loss"), "value": value, "unit": say("run.unit"), "digits": 4}
    if value is None or not lines:
        return tile
    perplexity = math.exp(min(value, 700))
    said = f"{perplexity:.2f}" if perplexity < 100 else grouped(round(perplexity)) if perplexity < 1e6 else "> 10⁶"
    beaten = [name for name in LINES if value < lines.get(name, -math.inf)]
    if not beaten:
        return tile | {"note": say("run.above", perplexity=said, line=say("run.uniform"))}
    name, less = beaten[-1], round(lines[beaten[-1]] - value, 2)
    note = say("run.below", perplexity=said, n=less, line=say(f"run.{name}"))
    return tile | {"note": note, "kind": "predicted" if name == "bigram" else ""}


def _pair(run: Run, check: dict[str, Any]) -> list[dict[str, Any]]:
    share = check.get("sequence_accuracy")
    if run.pair is None or share is None:
        return []
    return [
        {"name": say("run.pair"), "value": percent(share), "note": say("run.guessing", share="50\N{NO-BREAK SPACE}%")}
    ]


def _recurring(log: RunLog) -> list[dict[str, Any]]:
    """How much of the validation text was in what the run learns from, sentence by sentence."""
    share = log.begin.get("recurring")
    return [{"name": say("run.recurring"), "value": percent(share), "note": say("run.recurring.note")}] if share else []


def _speed(log: RunLog) -> dict[str, Any]:
    tokens, seconds = log.last.get("tokens", 0), log.last.get("seconds", 0)
    return {
        "name": say("run.speed"),
        "value": round(tokens / seconds) if seconds else None,
        "unit": say("run.speed.unit"),
        "note": say("run.read", n=grouped(tokens)),
    }


def _time(run: Run, log: RunLog, status: str) -> dict[str, Any]:
    spent, of = float(log.last.get("seconds", 0)), log.last.get("of")
    if status not in GOING:
        return {"name": say("run.took"), "value": clock(spent), "note": planned(run)}
    step = log.last.get("step", 0)
    by_clock = max(run.plan.seconds - spent, 0.0) if run.plan.seconds else math.inf
    by_steps = (of - step) * spent / step if of and step else math.inf
    # What the clock says is certain; but a model that counts may be through its text sooner.
    certain = run.plan.seconds and "counts" not in MODELS[run.model].traits
    left = by_clock if certain else min(by_clock, by_steps)
    known = 0 < spent + left < math.inf
    return {
        "name": say("run.left"),
        "value": clock(left) if known else None,
        "note": planned(run),
        "share": round(spent / (spent + left), 3) if known else 0,
    }


def planned(run: Run) -> Any:
    """What the run was given."""
    seconds = run.plan.seconds
    return say("run.planned", n=clock(seconds)) if seconds else say("run.of.steps", n=grouped(run.plan.steps or 0))


def _steps(folder: RunFolder, log: RunLog, status: str) -> dict[str, Any]:
    """How many steps there were; after the run, what was forecast for the same time."""
    step, of = log.last.get("step", 0), log.last.get("of")
    total = "run.of.about" if folder.run.plan.seconds and status in GOING else "run.of"
    tile = {"name": say("run.steps"), "value": grouped(step), "note": say(total, n=grouped(of)) if of else ""}
    forecast, result, spent = folder.document(NOTED), folder.document("result.json"), float(log.last.get("seconds", 0))
    if status in GOING or not forecast.get("steps_per_second") or not spent or not result.get("memory"):
        return tile
    gb = {"held": size_of(result["memory"]), "forecast": size_of(forecast["memory"])}
    return tile | {"note": say("run.forecast", n=grouped(round(forecast["steps_per_second"] * spent)), **gb)}
