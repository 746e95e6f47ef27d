"""The arms of a comparison side by side: curves, scores, confidence intervals, and accuracy over parameters moved."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.analysis.moving import Moved, moved
from lab.catalog import TASKS
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.tasks.metrics.wilson import wilson
from lab.ui.pages.finetune.arms import COLOURS, TASKS_WITH_CLASSES, differ_in_start_alone, way
from lab.ui.runs.run_log import Points, RunLog
from lab.ui.shell.figures import grouped, percent
from lab.ui.words import say

DRAWN = 300  # points in a line
FEW = 20  # texts below which shares have no such spread, and nobody can tell
IN_BOTH_LANGUAGES = (  # classes, and what they are called in the dictionary
    {"ends badly": "bad", "ends well": "good"},
    {"broken": "broken", "sound": "sound"},
    {"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"},
)
SHARES = {"accuracy", "entity_f1", "f1"}  # measures that are written as percentages
BESIDE = {  # the yardsticks that are of the same measure
    "accuracy": ("majority", "even", "overlap", "by_word"),
    "entity_f1": ("by_word_f1",),
    "f1": ("whole_text", "silent"),
    "spearman": ("overlap", "constant"),
}


def empty() -> dict[str, Any]:
    """A curve before there is anything to draw."""
    return {"series": [], "empty": say("finetune.curve.empty"), "dials": False}


def measure_of(folder: RunFolder, check: Mapping[str, Any]) -> str:
    """The score that counts for the task, where a ``check`` has it: else accuracy, which of a task that writes is that
    of the next token."""
    score = TASKS[folder.run.task or "classify"].score
    return score if not check or score in check else "accuracy"


def written(measure: str, value: float) -> str:
    """A score as people read it."""
    return percent(value) if measure in SHARES else f"{value:.3f}"


def with_spread(measure: str, middle: float, low: float, high: float) -> str:
    """A score and from where to where it was, in one line that does not break."""
    one, two, three = (f"{100 * value:.1f}" if measure in SHARES else f"{value:.3f}" for value in (middle, low, high))
    return f"{one}\N{NO-BREAK SPACE}({two}\N{WORD JOINER}–\N{WORD JOINER}{three})" + (
        "\N{NO-BREAK SPACE}%" if measure in SHARES else ""
    )


def unit(folder: RunFolder, measure: str) -> Any:
    """What a score is called."""
    return say("finetune.measure.next" if _writes(folder) else f"finetune.measure.{measure}")


def _writes(folder: RunFolder) -> bool:
    """Whether the answers of its task are written: what counts while it learns are then tokens, and not texts."""
    return TASKS[folder.run.task or "classify"].writes


def _lines(names: Sequence[Any], points: Sequence[Points]) -> list[dict[str, Any]]:
    return [
        {"name": name, "colour": colour, **thin(line)}
        for name, colour, line in zip(names, COLOURS, points, strict=False)
    ]


def thin(points: Points) -> dict[str, Any]:
    """At most about ``DRAWN`` of the points, the last among them."""
    part = points.part()
    every = max(1, len(part["y"]) // DRAWN)
    return {axis: values[::-1][::every][::-1] for axis, values in part.items()}


def scores(folders: Sequence[RunFolder], logs: Sequence[RunLog], names: Sequence[Any]) -> dict[str, Any]:
    """The scores of all arms over the steps, against those of whoever has not read the texts."""
    measure = measure_of(folders[0], logs[0].check)
    drawn = empty() | {"series": _lines(names, [log.scores[measure] for log in logs]), "x": say("run.step")}
    drawn |= {"baselines": _yardsticks(folders[0], logs[0], measure), "y": unit(folders[0], measure), "legend": True}
    return drawn | ({"high": 1} if measure in SHARES else {})


def _yardsticks(folder: RunFolder, log: RunLog, measure: str) -> list[dict[str, Any]]:
    """The yardsticks of an arm, without those that stand where another does."""
    return [] if _writes(folder) else yardsticks(log.begin.get("baselines", {}), measure)


def yardsticks(lines: Mapping[str, float], measure: str) -> list[dict[str, Any]]:
    """Those of the ``lines`` that are of a measure, from the best down, as the baselines of a Curve."""
    known = BESIDE.get(measure, ())
    drawn: list[dict[str, Any]] = []
    for name in sorted((name for name in known if name in lines), key=lambda name: -lines[name]):
        if all(abs(lines[name] - other["y"]) > 0.02 for other in drawn):
            drawn.append({"name": say(f"finetune.yardstick.{name}"), "y": lines[name]})
    return drawn


def strongest(lines: Mapping[str, float], measure: str) -> tuple[str, dict[str, Any]]:
    """The best of the yardsticks of a measure and its name among the ``lines``; "" where there is none."""
    name = max((name for name in BESIDE.get(measure, ()) if name in lines), key=lambda name: lines[name], default="")
    return name, {"name": say(f"finetune.yardstick.{name}"), "y": lines[name]} if name else {}


def losses(logs: Sequence[RunLog], names: Sequence[Any]) -> dict[str, Any]:
    """The training losses of all arms over the steps."""
    drawn = empty() | {"series": _lines(names, [log.loss for log in logs]), "x": say("run.step"), "smooth": 0.8}
    return drawn | {"y": say("finetune.loss.unit"), "legend": True, "dials": True, "height": 230}


def tiles(
    folders: Sequence[RunFolder], logs: Sequence[RunLog], names: Sequence[Any], *, ended: bool = True
) -> list[dict[str, Any]]:
    """The score of each arm, the yardstick, and of two arms the difference beside what chance alone may give."""
    measure = measure_of(folders[0], logs[0].check)
    kinds = ("predicted", *[""] * len(names))
    shown = [
        {"name": name, "value": _score(log, measure), "note": _so_far(log, measure), "kind": kind}
        for name, log, kind in zip(names, logs, kinds, strict=False)
    ]
    lines = _yardsticks(folders[0], logs[0], measure)
    if lines:
        even = logs[0].begin["baselines"].get("even")
        note = unit(folders[0], measure) if even is None else say("finetune.even", share=percent(even))
        shown.append({"name": lines[0]["name"], "value": written(measure, lines[0]["y"]), "note": note})
    if measure != "accuracy" or len(logs) != 2 or _writes(folders[0]):
        return shown
    return shown + gain(logs, start_alone=differ_in_start_alone([folder.run for folder in folders]), ended=ended)


def _score(log: RunLog, measure: str) -> str | None:
    value = log.check.get(measure)
    return None if value is None else written(measure, value)


def _so_far(log: RunLog, measure: str) -> Any:
    """How far an arm is, and the macro F1 beside an accuracy."""
    step, of = log.last.get("step", 0), log.last.get("of")
    steps = say("run.list.steps", n=grouped(step))
    if of and step != of:
        steps = say("finetune.step", n=grouped(step), of=grouped(of))
    f1 = log.check.get("macro_f1") if measure == "accuracy" else None
    return steps if f1 is None else say("finetune.f1", f1=f"{f1:.3f}", steps=steps)


def gain(logs: Sequence[RunLog], *, start_alone: bool, ended: bool = True) -> list[dict[str, Any]]:
    """By how many points of accuracy the first arm is ahead, and, once all have ``ended``, whether that can be told
    from chance (95 %). It is what pretraining is worth where the arms differ in their ``start_alone``."""
    shares = [log.check["accuracy"] for log in logs if "accuracy" in log.check]
    checks = checked_texts(logs[0])
    if len(shares) < 2 or not checks:
        return []
    points, chance = difference(shares[0], shares[1], checks)
    told_apart = checks >= FEW and abs(points) > chance
    tile = {
        "name": say("finetune.gain" if start_alone else "finetune.gain.ways"),
        "value": f"{points:+.1f}\u00a0±\u00a0{chance:.1f}",
        "unit": say("finetune.points"),
    }
    if not ended:
        return [tile | {"note": say("finetune.gain.so_far"), "kind": "faint"}]
    note = say("finetune.gain.clear" if told_apart else "finetune.gain.unclear", n=grouped(checks))
    return [tile | {"note": note, "kind": "" if told_apart else "faint"}]


def difference(first: float, second: float, checks: int) -> tuple[float, float]:
    """By how many points a share of so many texts is above another, and how many chance alone may give (95 %).

    One text more of each kind is counted (Agresti and Caffo 2000), so that shares of 0 and 1 have a spread, too.
    """
    usual = [(share * checks + 1) / (checks + 2) for share in (first, second)]
    return 100 * (first - second), 196 * math.sqrt(sum(share * (1 - share) for share in usual) / (checks + 2))


def checked_texts(log: RunLog) -> int:
    """How many texts an arm was last checked on. Where an earlier version has not written it down its confusion matrix
    counts them, and without one it is 0."""
    return int(log.check.get("texts", sum(map(sum, log.check.get("confusion", [])))))


def ways(folders: Sequence[RunFolder], logs: Sequence[RunLog], names: Sequence[Any]) -> dict[str, Any]:
    """How many parameters moved in each arm, and what it scores: the value of a Table. Arms that are named by their
    start alone say how they were trained, too."""
    if not logs:
        return {"columns": [], "rows": [], "empty": say("finetune.ways.empty")}
    measure = measure_of(folders[0], logs[0].check)
    within = [interval(folder, log) for folder, log in zip(folders, logs, strict=True)]
    columns = ["arm", "how", "moved", "score", *(["interval"] if any(within) else [])]
    if len({folder.run.tuning for folder in folders}) > 1:
        columns.remove("how")
    rows = [
        {
            "arm": name,
            "how": way(folder.run),
            "moved": _moved(folder.run, log),
            "score": _score(log, measure) or "–",
            "interval": f"{100 * between[0]:.1f} – {percent(between[1])}" if between else "–",
        }
        for folder, log, name, between in zip(folders, logs, names, within, strict=True)
    ]
    titles = [unit(folders[0], measure) if column == "score" else say(f"finetune.ways.{column}") for column in columns]
    return {"columns": titles, "rows": [[row[column] for column in columns] for row in rows]}


def _moved(run: Run, log: RunLog) -> str:
    """How many parameters moved, of all."""
    known = moved_of(run, log)
    return "–" if known is None else f"{grouped(known.moving)} ({percent(known.share)})"


def moved_of(run: Run, log: RunLog) -> Moved | None:
    """What moved, as far as the run has begun. Earlier versions did not write it down: it is counted."""
    facts = log.begin
    if "vocabulary" not in facts:
        return None
    return Moved(facts["moving"], facts["parameters"]) if "moving" in facts else moved(run, facts["vocabulary"])


def interval(folder: RunFolder, log: RunLog) -> tuple[float, float] | None:
    """From where to where the accuracy of an arm may be (95 %); None where the score that counts is another, or where
    it is no share of texts."""
    share, checks = log.check.get("accuracy"), checked_texts(log)
    counts = measure_of(folder, log.check) == "accuracy" and not _writes(folder)
    return wilson(share, checks) if counts and checks and share is not None else None


def confusions(folders: Sequence[RunFolder], tables: Sequence[Any]) -> list[dict[str, Any]]:
    """How often each class was taken for which, for each arm: the values of Tables. There may be no counts."""
    drawn: list[dict[str, Any]] = []
    for folder, table in zip(folders, tables, strict=True):
        names = class_names(folder)
        if not table or len(names) != len(table):
            few = folder.run.task in TASKS_WITH_CLASSES
            why = say("finetune.confusion.empty" if few else "finetune.confusion.none")
            drawn.append({"columns": [], "rows": [], "empty": why})
            continue
        rows = [[name, *row] for name, row in zip(names, table, strict=True)]
        drawn.append({"columns": [say("finetune.confusion.is"), *names], "rows": rows, "cells": True})
    return drawn


def class_names(folder: RunFolder) -> list[Any]:
    """What the classes of a run are called."""
    return named([str(name)[:40] for name in folder.document("labels.json").get("labels", [])])


def named(classes: Sequence[str]) -> list[Any]:
    """Classes by their names, in each language where all of them are known."""
    words = next((words for words in IN_BOTH_LANGUAGES if words.keys() == {*classes}), {})
    return [say(f"finetune.class.{words[name]}") if words else name for name in classes]
