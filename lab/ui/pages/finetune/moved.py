"""Parameter efficiency as a picture: the score over how many parameters moved, of one's own arms and of every way."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from lab.catalog import CORPORA, TASKS
from lab.experiments.starts import Outcome
from lab.experiments.ways import Tried
from lab.runs.folder import RunFolder
from lab.runs.tuning import FULL, LAST
from lab.ui.pages.finetune.comparison import (
    SHARES,
    interval,
    measure_of,
    moved_of,
    unit,
    with_spread,
    written,
    yardsticks,
)
from lab.ui.runs.run_log import RunLog
from lab.ui.shell.figures import grouped, short
from lab.ui.words import say, titled

NOTHING: dict[str, Any] = {"series": [], "empty": say("finetune.ways.empty"), "dials": False, "logx": True}
NOTHING |= {"height": 320}
NEAR = 0.02  # of a score: as good as full fine-tuning, with so few seeds
DOTS = {"kind": "dots", "colour": "predicted"}

Point = tuple[Any, float, float, float, float]  # name, parameters, score, and from where to where it may be
Row = tuple[str, list[Tried]]


def of_arms(folders: Sequence[RunFolder], logs: Sequence[RunLog], names: Sequence[Any]) -> dict[str, Any]:
    """The arms of a comparison as dots, the value of a Curve; the whisker of an accuracy is its 95 % interval."""
    if not logs:
        return NOTHING
    measure, points = measure_of(folders[0], logs[0].check), list[Point]()
    for folder, log, name in zip(folders, logs, names, strict=True):
        known, score = moved_of(folder.run, log), log.check.get(measure)
        if known is None or score is None:
            continue
        low, high = interval(folder, log) or (score, score)
        points.append((name, known.moving, score, low, high))
    return _drawn(points, measure, unit(folders[0], measure), yardsticks(logs[0].begin.get("baselines", {}), measure))


def _drawn(
    points: Sequence[tuple[Any, float, float, float, float]], measure: str, y: Any, lines: Any
) -> dict[str, Any]:
    if not points:
        return NOTHING
    names, x, scores, low, high = (list(each) for each in zip(*points, strict=True))
    series = [DOTS | {"name": y, "names": names, "x": x, "y": scores, "low": low, "high": high}]
    drawn = NOTHING | {"series": series, "baselines": lines[:1], "x": say("finetune.moved.axis"), "y": y}
    return drawn | ({"high": 1} if measure in SHARES else {})


def counted(document: Mapping[str, Any]) -> list[Row]:
    """The runs of each way that count, those of the sweep left out, from the fewest parameters to the most."""
    ways: dict[str, list[Tried]] = {}
    for each in document["tried"]:
        if not each["swept"]:
            ways.setdefault(each["way"], []).append(Tried(**{**each, "outcome": Outcome(**each["outcome"])}))
    return sorted(ways.items(), key=lambda row: row[1][0].outcome.moving)


def of_ways(document: Mapping[str, Any]) -> dict[str, Any]:
    """Every way as a dot, the median of all seeds, with a whisker from the least to the greatest."""
    points, measure = list[Point](), str(document["score"])
    for way, runs in counted(document):
        scores = [each.outcome.score for each in runs]
        points.append((way_title(way), runs[0].outcome.moving, median(scores), min(scores), max(scores)))
    lines = yardsticks(document["tried"][-1]["outcome"]["baselines"], measure)
    return _drawn(points, measure, say(f"finetune.measure.{measure}"), lines)


def numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same as the value of a Table, with the learning rate of each way."""
    measure = str(document["score"])
    columns = [say("finetune.ways.how"), say("finetune.ways.moved"), say("finetune.moved.rate")]
    rows = []
    for way, runs in counted(document):
        scores = [each.outcome.score for each in runs]
        moving, rate = grouped(runs[0].outcome.moving), f"{runs[0].learning_rate:g}"
        reached = with_spread(measure, median(scores), min(scores), max(scores))
        rows.append([way_title(way), moving, rate, reached])
    return {
        "columns": [*columns, say(f"finetune.measure.{measure}")],
        "rows": rows,
        "empty": say("finetune.ways.empty"),
    }


def about(document: Mapping[str, Any]) -> list[list[Any]]:
    """Which way comes near to full fine-tuning with the fewest parameters, and what was measured."""
    ways, settings, measure = dict(counted(document)), document["settings"], str(document["score"])
    middle = {way: median(each.outcome.score for each in runs) for way, runs in ways.items()}
    near = [way for way in ways if way != FULL and middle[way] >= middle[FULL] - NEAR]  # fewest parameters first
    best = near[0] if near else max((way for way in ways if way != FULL), key=lambda way: middle[way])
    task, corpus = TASKS[str(document["task"])], CORPORA[str(document["corpus"])]
    gist = say(
        "finetune.moved.gist",
        first=way_title(best),
        one=written(measure, middle[best]),
        few=short(ways[best][0].outcome.moving),
        other=written(measure, middle[FULL]),
        many=short(ways[FULL][0].outcome.moving),
    )
    facts = {"task": titled(task), "corpus": titled(corpus)}
    facts |= {name: settings[name] for name in ("seeds", "steps", "batch")} | {"budget": settings["budgets"]}
    return [["p", gist], ["note", say("finetune.moved.lab.note", **facts)]]


def way_title(way: str) -> Any:
    """A way by its name; of the last blocks, with their number."""
    how, _, blocks = way.partition(" ")
    return say("finetune.how.last.n", n=blocks) if how == LAST else say(f"finetune.how.{how}")
