"""The replay on Start: the metrics log of a run, step by step. Log and settings come with the lab, its weights do not:
nobody asks it anything."""

from typing import Any

from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.ui.runs.run_log import of_record
from lab.ui.words import ASSETS, say
from lab.vocabulary import MASK

PLACE = ASSETS / "replay"


def recorded() -> dict[str, Any]:
    """The run step by step: its loss on unseen text, and its guesses for its own sentence."""
    records = _records()
    if not records:
        return {"steps": []}
    of = {
        kind: {record["step"]: record for record in records if record["kind"] == kind} for kind in ("check", "pinned")
    }
    steps = [
        {
            "step": step,
            "loss": round(check["loss"], 3),
            "guesses": [of_record(gap[0]) for gap in of["pinned"][step]["gaps"]],
        }
        for step, check in sorted(of["check"].items())
        if "gaps" in of["pinned"].get(step, {})
    ]
    sentence = str(RunFolder(PLACE).document("run.json")["pinned"])
    parts: list[Any] = [part for piece in sentence.split(MASK) for part in (piece, {"answer": None})][:-1]
    baselines = _beginning(records)["baselines"]
    return {
        "steps": steps,
        "sentence": parts,
        "baselines": [{"name": say(f"start.line.{line}"), "y": y} for line, y in baselines.items()],
        "name": say("start.replay.loss"),
        "x": say("start.replay.step"),
        "y": say("start.replay.nats"),
        "height": 270,
    }


def explained() -> list[Any]:
    """What its dashed lines are, as prose: also among how many tokens this model guesses, for the one that answers
    beside it has a vocabulary of its own."""
    records = _records()
    return [["note", say("start.replay.note", size=f"{_beginning(records)['vocabulary']:,}")]] if records else []


def _records() -> list[dict[str, Any]]:
    return MetricsLog(PLACE / "metrics.jsonl").read()[0]


def _beginning(records: list[dict[str, Any]]) -> dict[str, Any]:
    return next(record for record in records if record["kind"] == "begin")
