"""``runs``: what is on disk."""

import time
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from lab.cli.answer import Answer, figure, figures, many, table
from lab.cli.flags import Parser
from lab.cli.foreground import learn
from lab.cli.run_named import run_named
from lab.runs import snapshots
from lab.runs.finding import runs as on_disk
from lab.runs.folder import RunFolder, home
from lab.runs.metrics_log import MetricsLog
from lab.runs.notes import notes_of

PARTS = {
    "list": "all runs, the newest first",
    "show": "the settings and the results of a run",
    "stop": "ask a run to save and end; it can be resumed",
    "resume": "go on with a run, here in the foreground",
    "delete": "remove a run for good",
}
PATIENCE = 30.0  # seconds that a run may take to stop


def runs_flags(parser: Parser, words: Sequence[str]) -> None:
    parts = parser.add_subparsers(dest="part", metavar="|".join(PARTS))
    for name, summary in PARTS.items():
        part = parts.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if name != "list":
            part.add_argument("run", metavar="RUN", help="a run's folder, or its name among the runs")


def runs(asked: Namespace) -> Answer:
    """One of the parts; the list if none is named."""
    if asked.part in (None, "list"):
        return _list()
    folder = run_named(asked.run)
    if asked.part == "resume":
        return learn(folder)
    if asked.part == "show":
        return _show(folder)
    if asked.part == "delete":
        folder.delete()
        return Answer({"run": str(folder.path), "status": "deleted"}, f"deleted {folder.path}")
    return _stop(folder)


def _list() -> Answer:
    runs = [_facts(folder) for folder in on_disk()]
    shown = [[f["name"], f["status"], f["model"], f["learns"], f["corpus"], many(f["steps"], "step")] for f in runs]
    return Answer({"runs": runs}, table(shown) if shown else f"no runs in {home()} yet")


def _facts(folder: RunFolder) -> dict[str, Any]:
    """What a list says about a run, however damaged it is."""
    run, records = folder.document("run.json"), MetricsLog(folder.path / "metrics.jsonl").read()[0]
    checks = [record for record in records if record["kind"] == "check"]
    result = folder.document("result.json")
    validation = result.get("validation") or (checks[-1] if checks else {})  # an ended run is measured on all of it
    best = result.get("best_step")
    return {
        "name": folder.name,
        "run": str(folder.path),
        "status": folder.status(),
        "model": run.get("model", "?"),
        "learns": run.get("task") or run.get("objective", "?"),
        "corpus": run.get("corpus", "?"),
        "steps": max((record["step"] for record in records), default=0),
        **({} if best is None else {"best_step": best}),
        "at_step": snapshots.steps(folder.path),
        "created": run.get("created", 0.0),
        "validation": {k: v for k, v in validation.items() if k not in ("kind", "step")},
    }


def _show(folder: RunFolder) -> Answer:
    facts = _facts(folder)
    facts["notes"] = notes_of(folder)
    document = {**facts, "settings": folder.document("run.json"), "result": folder.document("result.json")}
    rows = [[name, str(value)] for name, value in facts.items() if name not in ("at_step", "created", "validation")]
    rows = [[name, text] for name, text in rows if text]
    rows += [["--at-step", ", ".join(map(str, facts["at_step"])) or "–"]]
    rows += [[f"validation {name}", figure(value)] for name, value in figures(facts["validation"]).items()]
    reason = str(document["result"].get("en", ""))
    return Answer(document, table(rows + ([["reason", reason]] if reason else [])))


def _stop(folder: RunFolder) -> Answer:
    folder.ask_to_stop()
    until = time.monotonic() + PATIENCE
    while folder.status() == "running" and time.monotonic() < until:
        time.sleep(0.1)
    status = folder.status()
    state = "is still saving" if status == "running" else f"is {status}"
    return Answer({"run": str(folder.path), "status": status}, f"{folder.name} {state}")
