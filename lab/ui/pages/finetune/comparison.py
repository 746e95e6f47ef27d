"""Pretrained against random weights: the curves, the numbers, and a confidence interval of the difference."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

from lab.runs.folder import RunFolder
from lab.ui.runs.run_log import Points, RunLog
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, percent
from lab.ui.words import say

DRAWN = 300  # points in a line
FEW = 20  # texts below which shares have no such spread, and nobody can tell
NAMES = {"ends badly": "finetune.class.bad", "ends well": "finetune.class.good"}
STARTS = ("pretrained", "random")


def empty() -> dict[str, Any]:
    """A curve before there is anything to draw."""
    return {"series": [], "empty": say("finetune.curve.empty"), "dials": False}


def _lines(logs: Sequence[RunLog], points: Sequence[Points]) -> list[dict[str, Any]]:
    colours = ("predicted", "replaced")
    return [
        {"name": say(f"finetune.{start}"), "colour": colour, **thin(line)}
        for start, colour, line in zip(STARTS, colours, points, strict=False)
    ]


def thin(points: Points) -> dict[str, Any]:
    """At most about ``DRAWN`` of the points, the last among them."""
    part = points.part()
    every = max(1, len(part["y"]) // DRAWN)
    return {axis: values[::-1][::every][::-1] for axis, values in part.items()}


def accuracy(logs: Sequence[RunLog]) -> dict[str, Any]:
    """The validation accuracies of both runs over the steps, against always naming the commonest class."""
    lines = logs[0].begin.get("baselines", {})
    named = [{"name": say("run.majority"), "y": lines["majority"]}] if "majority" in lines else []
    if named and abs(lines["even"] - lines["majority"]) > 0.02:
        named.append({"name": say("finetune.even.line"), "y": lines["even"]})
    series = _lines(logs, [log.accuracy for log in logs])
    return empty() | {
        "series": series,
        "baselines": named,
        "x": say("run.step"),
        "y": say("finetune.accuracy.unit"),
        "high": 1,
        "legend": True,
    }


def losses(logs: Sequence[RunLog]) -> dict[str, Any]:
    """The training losses of both runs over the steps."""
    drawn = empty() | {"series": _lines(logs, [log.loss for log in logs]), "x": say("run.step"), "smooth": 0.8}
    return drawn | {"y": say("finetune.loss.unit"), "legend": True, "dials": True, "height": 230}


def tiles(logs: Sequence[RunLog]) -> list[dict[str, Any]]:
    """Both accuracies, the yardstick, and the difference beside what chance alone may give."""
    shares = [log.check.get("accuracy") for log in logs]
    shown = []
    for start, log, share, kind in zip(STARTS, logs, shares, ("predicted", ""), strict=False):
        step, of = log.last.get("step", 0), log.last.get("of")
        steps = say("run.list.steps", n=grouped(step)) if not of or step == of else say("run.of", n=grouped(of))
        score = log.check.get("macro_f1")
        note = steps if score is None else say("finetune.f1", f1=f"{score:.3f}", steps=steps)
        value = None if share is None else percent(share)
        shown.append({"name": say(f"finetune.{start}"), "value": value, "note": note, "kind": kind})
    lines = logs[0].begin.get("baselines", {})
    if "majority" in lines:
        even = say("finetune.even", share=percent(lines["even"]))
        shown.append({"name": say("finetune.majority"), "value": percent(lines["majority"]), "note": even})
    return shown + gain(logs, [share for share in shares if share is not None])


def gain(logs: Sequence[RunLog], shares: Sequence[float]) -> list[dict[str, Any]]:
    """By how many points of accuracy pretraining is ahead, and whether that can be told from chance (95 %).

    One text more of each kind is counted (Agresti and Caffo 2000), so that shares of 0 and 1 have a spread, too.
    """
    if len(shares) < 2:
        return []
    table = logs[0].check.get("confusion")
    checks = sum(map(sum, table)) if table else max(1, round(logs[0].begin.get("rows", 9) / 9))
    usual = [(share * checks + 1) / (checks + 2) for share in shares]
    chance = 196 * math.sqrt(sum(share * (1 - share) for share in usual) / (checks + 2))
    points = 100 * (shares[0] - shares[1])
    told_apart = checks >= FEW and abs(points) > chance
    note = say("finetune.gain.clear" if told_apart else "finetune.gain.unclear", n=grouped(checks))
    tile = {
        "name": say("finetune.gain"),
        "value": f"{points:+.1f}\u00a0±\u00a0{chance:.1f}",
        "unit": say("finetune.points"),
    }
    return [tile | {"note": note, "kind": "" if told_apart else "faint"}]


def confusions(folders: Sequence[RunFolder], logs: Sequence[RunLog]) -> Values:
    """How often each class was taken for which, for both runs."""
    tables: Values = {}
    for start, folder, log in itertools.zip_longest(STARTS, folders, logs):
        table = log.check.get("confusion") if log else None
        names = [called(str(name)[:40]) for name in folder.document("labels.json").get("labels", [])] if folder else []
        if not table or len(names) != len(table):
            tables[f"confusion {start}"] = {"columns": [], "rows": [], "empty": say("finetune.confusion.empty")}
            continue
        columns = [say("finetune.confusion.is"), *names]
        rows = [[name, *row] for name, row in zip(names, table, strict=True)]
        tables[f"confusion {start}"] = {"columns": columns, "rows": rows}
    return tables


def called(name: str) -> Any:
    """A class by its name; those of the town's stories have one in each language."""
    return say(NAMES[name]) if name in NAMES else name
