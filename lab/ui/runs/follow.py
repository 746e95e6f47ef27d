"""Following a run: its curve as far as it has grown, what is going on with it, and its row in a list."""

from collections.abc import Sequence
from typing import Any

from lab.runs.checkpoint import newest, step_of
from lab.runs.folder import GOING, RunFolder
from lab.runs.notes import notes_of, tags
from lab.runs.run import Run
from lab.serve.limits import profile
from lab.serve.preparing import PREPARING
from lab.settings import SettingsError
from lab.ui.runs.run_log import Points, RunLog, log_of
from lab.ui.runs.run_tiles import LINES
from lab.ui.shell.figures import grouped, nats, percent
from lab.ui.shell.visitor import usable, workers
from lab.ui.words import complaint, say

PARTS = ("reading", "tokenizer", "tokens")  # of what is done before the first step
SMOOTH = 0.6  # where the dial of a curve stands at first
HEIGHT = 270  # pixels: curve and pinned sentence stand on one screen
QUICK = 0.35  # seconds between looks while there is nothing to see yet
STATES = ("running", "paused", "waiting", "failed", "interrupted", "stopped", "finished")  # the first one counts
PACE = {"laptop": 1.0, "classroom": 2.0, "space": 2.0}


def lines(points: Sequence[Points], before: Sequence[int], now: Sequence[int], run: Run) -> list[dict[str, Any]]:
    """Training and validation as lines, from the points ``before`` up to those of ``now``. Where the masking rate falls
    both say it: with more masked a loss is higher."""
    loss, checks = (line.part(start, end) for line, start, end in zip(points, before, now, strict=True))
    first, last = (run.objective_at(progress) for progress in (0.0, 1.0))
    rates = {"first": percent(first.share), "last": percent(last.share)} if first != last else {}
    training, validation = (f"run.{part}{'.masked' if rates else ''}" for part in ("training", "validation"))
    return [
        {"name": say(training, **rates), "colour": "predicted", **loss},
        {"name": say(validation, **rates), "colour": "replaced", "kind": "points", **checks},
    ]


def curve(
    log: RunLog, points: Sequence[Points], run: Run, name: str, before: Sequence[int], now: Sequence[int]
) -> dict[str, Any]:
    """The losses of a run from the points that were sent ``before`` up to those of ``now``, and what it must beat."""
    return {
        "series": lines(points, before, now, run),
        "from": list(before),
        "key": f"{name}:{log.number}",
        "baselines": yardsticks(log),
        "x": say("run.step"),
        "y": say("run.nats"),
        "until": log.last.get("of"),
        "smooth": SMOOTH,
        "height": HEIGHT,
        "empty": say("run.nothing"),
    }


def yardsticks(log: RunLog) -> list[dict[str, Any]]:
    """The dashed lines of a pretraining run: what it must beat, and the entropy of its text, which nothing beats."""
    lines = log.begin.get("baselines", {})
    return [{"name": say(f"run.{name}"), "y": lines[name]} for name in (*LINES, "floor") if name in lines]


def events(log: RunLog) -> list[list[Any]]:
    """What has happened to the run lately, as the paragraphs of a Prose."""
    return [["note", _event(event)] for event in log.events[-3:]]


def sentence(folder: RunFolder, log: RunLog, stamp: dict[str, Any]) -> Any:
    """What is going on with the run, in one sentence."""
    result, status = folder.document("result.json"), stamp["status"]
    if status == "failed":
        return complaint(SettingsError(str(result.get("en", "")), str(result.get("zh", ""))))
    if status == "waiting":
        place = say("run.state.waiting", n=stamp["ahead"]) if stamp["ahead"] else say("run.state.starting")
        return say("run.state.held", what=place) if stamp["held"] else place
    if status == "running" and not log.last:
        part = stamp["preparing"].get("part")
        share = percent(stamp["preparing"].get("share", 0.0))
        return say(f"run.state.{part}" if part in PARTS else "run.state.checking", share=share)
    if stamp["paused"] is not None:
        return say("run.state.paused", n=grouped(stamp["paused"]))
    step, saved = log.last.get("step", 0), newest(folder.path / "checkpoints")
    at = grouped(step_of(saved) if saved else 0)  # from where it would be resumed: the log may have gone on
    if status == "stopped":
        return say("run.state.stopped", n=at) if step or saved else say("run.state.unbegun")
    if status == "interrupted":
        return say("run.state.interrupted" if saved else "run.state.lost", n=grouped(step), at=at)
    about = "≈ " if folder.run.plan.seconds else ""  # of a run that is given time the steps are a forecast
    of = f" / {about}{grouped(log.last['of'])}" if status == "running" and log.last.get("of") else ""
    return say(f"run.state.{status}", n=grouped(step) + of)


def _event(event: dict[str, Any]) -> Any:
    data = {"names": ", ".join(map(str, event.get("names", ()))), "reason": str(event.get("reason", ""))}
    return say(f"run.event.{event['code']}", n=grouped(event["step"]), **data)


Seen = dict[str, Any]  # what a page has seen of a run at its last look


def look(folder: RunFolder, seen: Seen | None) -> tuple[RunLog, Seen, Seen | None]:
    """The run's metrics log, what the page will have seen of it now, and what it had ``seen`` of the same log before,
    or None."""
    status, log = folder.status(), log_of(folder)
    stamp = {
        "status": status,
        "ahead": workers().place(folder) if status == "waiting" else 0,
        "held": status == "waiting" and workers().paused(),
        "loss": len(log.loss),
        "valid": len(log.valid),
        "pinned": len(log.pinned),
        "events": len(log.events),
        "paused": folder.paused_at() if status == "running" else None,
        "preparing": folder.document(PREPARING) if status == "running" and not log.last else {},
    }
    state = [
        status,
        stamp["ahead"],
        stamp["held"],
        stamp["events"],
        stamp["preparing"],
        bool(log.last),
        usable(folder),
        stamp["paused"],
    ]
    now = {"run": folder.name, "number": log.number, "stamp": stamp, "state": state}
    same = seen and seen["run"] == folder.name and seen["number"] == log.number
    return log, now, seen if same else None


def pace(stamp: dict[str, Any]) -> tuple[float, bool]:
    """Seconds until the next look, fewer while nothing is to be seen, and whether there is any need for one."""
    return PACE[profile()] if stamp["loss"] else QUICK, stamp["status"] in GOING


def changeable(folder: RunFolder) -> bool:
    """Whether the run is a visitor's: those that are everybody's stay as they are."""
    return not folder.is_everybodys


def doing(folders: Sequence[RunFolder]) -> str:
    """What runs that were started together do: one that runs counts before one that waits, and how they ended counts
    once none does either."""
    found = [_doing(folder) for folder in folders]
    return next(state for state in STATES if state in found)


def _doing(folder: RunFolder) -> str:
    return "paused" if folder.paused_at() is not None else folder.status()


def row(folders: Sequence[RunFolder], run: Run, title: str, facts: list[Any], measure: str) -> dict[str, Any]:
    """A run in a RunList, or several that were started together, of which the first is shown; ``measure`` is the number
    that matters, "loss" or "accuracy"."""
    folder, state = folders[0], doing(folders)
    result = folder.document("result.json")
    value = result.get("validation", {}).get(measure)
    steps = [say("run.list.steps", n=grouped(result["steps"]))] if result.get("steps") else []
    return {
        "id": folder.name,
        "title": title,
        "facts": [*facts, *steps],
        "number": "" if value is None else percent(value) if measure == "accuracy" else nats(value),
        "note": "" if value is None else say(f"run.list.{measure}"),
        "when": run.created,
        "status": say(f"run.status.{state}"),
        "live": state in GOING,
        "busy": state in ("running", "paused"),
        "tags": tags(notes_of(folder)),
        "own": changeable(folder),
    }
