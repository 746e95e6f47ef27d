"""What pretraining is worth over label budgets: the outcomes of a study as a picture, a table and a sentence."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TASKS
from lab.experiments.starts import Band, Outcome, bands
from lab.runs.tuning import FULL
from lab.ui.pages.finetune.arms import COLOURS
from lab.ui.pages.finetune.comparison import SHARES, strongest, with_spread, written
from lab.ui.shell.figures import grouped, short
from lab.ui.words import say, titled

FEW = 100  # labels: the budget of which the sentence speaks, or the one that is nearest
GREY, DASHES = "original", ("7 4", "2 4")  # of random weights
LEVEL = 0.05  # of a score: a yardstick that moves by less does not grow
NOTHING: dict[str, Any] = {"series": [], "empty": say("finetune.study.empty"), "dials": False, "logx": True}
NOTHING |= {"height": 320}

Document = Mapping[str, Any]
Name = Callable[[Mapping[str, Any]], Any]


def picture(document: Document, name: Name) -> dict[str, Any]:
    """The score of each start over the label budget, the value of a Curve: the line is the median of all seeds, and a
    band reaches from the least to the greatest."""
    found, measure = _found(document), str(document["score"])
    if not found:
        return NOTHING
    table, colours, dashes = bands(found), iter(COLOURS), iter(DASHES * len(document["starts"]))
    series = [
        {
            "name": name(start),
            "colour": GREY if start["fresh"] else next(colours),
            "dash": next(dashes) if start["fresh"] else "",
            "dots": True,
            **_line(table, str(start["name"])),
        }
        for start in document["starts"]
    ]
    drawn = NOTHING | {"series": series, "legend": True, **_yardstick(found, measure)}
    drawn["series"] = [*series, *drawn.pop("growing", [])]
    drawn |= {"x": say("finetune.study.budget"), "y": say(f"finetune.measure.{measure}")}
    return drawn | ({"high": 1} if measure in SHARES else {})


def _yardstick(found: Sequence[Outcome], measure: str) -> dict[str, Any]:
    """The strongest yardstick: a level line, or where it grows with the labels, as what each word is mostly tagged
    does, a faint one over the budgets."""
    name, known = strongest(found[-1].baselines, measure)
    if not name:
        return {"baselines": []}
    heights: dict[int, list[float]] = {}
    for outcome in found:
        heights.setdefault(outcome.budget, []).append(outcome.baselines.get(name, known["y"]))
    x = sorted(heights)
    y = [median(heights[budget]) for budget in x]
    if max(y) - min(y) < LEVEL:
        return {"baselines": [known]}
    faint = {"name": known["name"], "x": list(map(float, x)), "y": y, "colour": GREY, "kind": "points"}
    return {"baselines": [], "growing": [faint]}


def _line(table: Mapping[tuple[str, int], Band], start: str) -> dict[str, list[float]]:
    budgets = sorted(budget for name, budget in table if name == start)
    cells = [table[start, budget] for budget in budgets]
    return {
        "x": list(map(float, budgets)),
        "y": [cell.median for cell in cells],
        "low": [cell.low for cell in cells],
        "high": [cell.high for cell in cells],
    }


def numbers(document: Document, name: Name) -> dict[str, Any]:
    """The same as the value of a Table: a row for each start, a column for each budget."""
    found, measure = _found(document), str(document["score"])
    table = bands(found)
    budgets = sorted({budget for _, budget in table})
    first = say("finetune.study.start", measure=say(f"finetune.measure.{measure}"))
    columns = [first, *(say("finetune.study.labels", n=grouped(n)) for n in budgets)]
    rows = [
        [name(start), *(_cell(table.get((str(start["name"]), budget)), measure) for budget in budgets)]
        for start in document["starts"]
    ]
    return {"columns": columns, "rows": rows if found else [], "empty": say("finetune.study.empty")}


def _cell(band: Band | None, measure: str) -> str:
    if band is None:
        return "–"
    return with_spread(measure, band.median, band.low, band.high)


def about(document: Document, name: Name) -> list[list[Any]]:
    """What was measured, in a sentence or two, and what it came to with about a hundred labels: the value of a
    Prose."""
    found, settings = _found(document), document["settings"]
    task, corpus = TASKS[str(document["task"])], CORPORA[str(document["corpus"])]
    facts = say(
        "finetune.study.about",
        task=titled(task),
        corpus=titled(corpus),
        steps=grouped(settings["steps"]),
        batch=settings["batch"],
        seeds=settings["seeds"],
    )
    said = [["p", gist(found, document, name)]] if found else []
    return [*said, ["note", facts], *_made(found, document)]


def _made(found: Sequence[Outcome], document: Document) -> list[list[Any]]:
    """How the pretrained starts were made, where all are of one family and took as many steps."""
    made = {(start["model"], start["steps"]) for start in document["starts"] if start.get("steps")}
    sizes = {outcome.moving for outcome in found}
    if len(made) != 1 or not sizes or document["settings"].get("how") != FULL:
        return []
    model, steps = made.pop()
    title = titled(MODELS[model])
    facts = say("finetune.study.made", model=title, n=short(max(sizes)), steps=grouped(steps))
    return [["note", facts]]


def gist(found: Sequence[Outcome], document: Document, name: Name) -> Any:
    """The medians of all starts with about a hundred labels, the best first."""
    table, measure = bands(found), str(document["score"])
    budget = min({budget for _, budget in table}, key=lambda n: (abs(n - FEW), n))
    reached = {str(start["name"]): start for start in document["starts"] if (str(start["name"]), budget) in table}
    order = sorted(reached, key=lambda start: -table[start, budget].median)
    said = [
        say("finetune.study.reaches", start=name(reached[one]), score=written(measure, table[one, budget].median))
        for one in order
    ]
    whole = said[0]
    for each in said[1:]:
        whole = say("finetune.study.and", first=whole, second=each)
    return say("finetune.study.gist", n=grouped(budget), measure=say(f"finetune.measure.{measure}"), scores=whole)


def by_objective(document: Document) -> Name:
    """How the starts are called by what they were pretrained with; random weights, where there are several, by how they
    read."""
    several = sum(start["fresh"] for start in document["starts"]) > 1

    def name(start: Mapping[str, Any]) -> Any:
        objective = OBJECTIVES[str(start["objective"])]
        if start["fresh"]:
            way = "causal" if objective.left_to_right else "all"
            return say(f"finetune.study.random.{way}" if several else "finetune.beside.random")
        title = titled(objective)
        if not start.get("pair"):
            return title
        second = OBJECTIVES[str(start["pair"])]
        return say("finetune.study.and.objective", first=title, second=titled(second))

    return name


def _found(document: Document) -> list[Outcome]:
    return [Outcome(**outcome) for outcome in document["outcomes"]]
