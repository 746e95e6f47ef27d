"""Why not mask them all? 80/10/10 beside 100/0/0, as it was measured for the lab, and two small models of one's own."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import Any

import gradio as gr

from lab.catalog import CORPORA
from lab.experiments.masking import VIEWS, Answered, Arm, Measured, answered, run_of
from lab.runs.finding import find_run
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.runs.tuning import FROZEN, FULL
from lab.serve.ownership import must_be_named, owner_of
from lab.ui.pages.finetune.comparison import with_spread
from lab.ui.runs.follow import Seen, look, pace, sentence
from lab.ui.runs.plan import training
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, percent
from lab.ui.shell.visitor import lab_title, own, trained, usable, workers
from lab.ui.words import language_now, say, titled

OWN = tuple(map(Arm, ("80/10/10", "100/0/0")))  # that a visitor trains
COPIER = "80/20/0"
STEPS = 600
CORPUS = {"en": "town_en", "zh": "town_zh"}


def by_arm(document: Mapping[str, Any]) -> dict[str, list[Measured]]:
    """All seeds of each arm, in the order of the document."""
    arms: dict[str, list[Measured]] = {}
    for each in document["measured"]:
        views = {name: Answered(**values) for name, values in each["answers"].items()}
        arms.setdefault(each["arm"], []).append(Measured(**{**each, "answers": views}))
    return arms


def bars(document: Mapping[str, Any]) -> dict[str, Any]:
    """How often each arm names a token that it sees, the value of Bars."""
    return _bars({arm: median(each.answers["kept"].right for each in those) for arm, those in by_arm(document).items()})


def _bars(right: Mapping[str, float]) -> dict[str, Any]:
    drawn = [{"name": arm, "token": False, "value": value, "kind": "kept"} for arm, value in right.items()]
    return {"bars": drawn, "unit": "percent", "max": 1, "wide": True, "empty": say("finetune.mask_shares.none")}


def numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """What each arm says in every view and what it scores, the value of a Table."""
    measure = str(document["score"])
    rows = []
    for arm, those in by_arm(document).items():
        views = [[each.answers[view].right for each in those] for view in VIEWS]
        scores = [[each.scores[how] for each in those] for how in (FULL, FROZEN)]
        rows.append([arm, *(_spread("accuracy", each) for each in views), *(_spread(measure, each) for each in scores)])
    scored = [
        say("finetune.mask_shares.score", how=say(f"finetune.how.{how}"), measure=say(f"finetune.measure.{measure}"))
        for how in (FULL, FROZEN)
    ]
    return {"columns": [*_columns(), *scored], "rows": rows, "empty": say("finetune.mask_shares.none")}


def _columns() -> list[Any]:
    return [say("finetune.mask_shares.arm"), *(say(f"finetune.mask_shares.{view}") for view in VIEWS)]


def _spread(measure: str, found: Sequence[float]) -> str:
    return with_spread(measure, median(found), min(found), max(found))


def about(document: Mapping[str, Any]) -> list[list[Any]]:
    """What came of it in a sentence or two, and how it was measured: the value of a Prose."""
    arms, settings = by_arm(document), document["settings"]
    middle = {arm: _middle(arms[arm]) for arm in (each.name for each in OWN)}
    (ours, every), measure = middle.values(), say(f"finetune.measure.{document['score']}")
    said = [say("finetune.mask_shares.gist", ours=percent(ours["kept"]), every=percent(every["kept"]))]
    if COPIER in arms:
        copier = percent(_middle(arms[COPIER])["random"])
        said.append(say("finetune.mask_shares.copies", copier=copier, ours=percent(ours["random"])))
    scores = {f"{name}_{how}": percent(of[how]) for name, of in (("ours", ours), ("every", every)) for how in of}
    said.append(say("finetune.mask_shares.scores", measure=measure, **scores))
    tuned, text = CORPORA[str(document["labelled"])], CORPORA[str(document["corpus"])]
    facts = say(
        "finetune.mask_shares.about",
        corpus=titled(text),
        steps=grouped(settings["steps"]),
        labelled=titled(tuned),
        labels=settings["labels"],
        seeds=settings["seeds"],
    )
    return [*(["p", each] for each in said), ["note", facts]]


def _middle(those: Sequence[Measured]) -> dict[str, float]:
    scores = {how: median(each.scores[how] for each in those) for how in (FULL, FROZEN)}
    return {view: median(each.answers[view].right for each in those) for view in VIEWS} | scores


def begin(visitor: str) -> Values:
    """Put a model of each kind into the queue and follow both."""
    must_be_named(visitor)
    runs = [_run(arm, owner_of(visitor)) for arm in OWN]
    workers().start_all(runs)
    return follow(visitor)


def _run(arm: Arm, owner: str) -> Run:
    run = run_of(arm, CORPUS[language_now()], {}, training({}, steps=STEPS), owner=owner)
    return Run.load(run.dump() | {"title": lab_title(run, arm.name)})


def follow(visitor: str, seen: Sequence[Seen] | None = None) -> Values:
    """The visitor's newest model of each kind as it is now, or nothing where nothing is new since they were ``seen``;
    as soon as it has learnt, what it says of tokens that it sees."""
    found = _newest(visitor)
    looks = {arm: look(folder, None) for arm, folder in found.items()}
    now = [looked[1] for looked in looks.values()]
    if seen is not None and seen == now:
        return {}
    going = [pace(each["stamp"]) for each in now]
    learnt = {arm: folder for arm, folder in found.items() if folder.status() == "finished" and usable(folder)}
    said = {arm: _said(folder.name) for arm, folder in learnt.items()}
    rows = [[arm, *(percent(each[view].right) for view in VIEWS)] for arm, each in said.items()]
    return {
        "mask shares seen": now,
        "mask shares state": [
            ["note", say("finetune.state", which=arm, what=sentence(found[arm], log, stamp["stamp"]))]
            for arm, (log, stamp, _) in looks.items()
            if arm not in said
        ],
        "mask shares own": {"columns": _columns(), "rows": rows, "empty": ""},
        "mask shares timer": gr.update(active=any(more for _, more in going)),
    }


@lru_cache(maxsize=32)
def _said(name: str) -> dict[str, Answered]:
    """What a finished run says, which is asked but once: the other one is still followed."""
    return answered(trained(name), find_run(name))


def _newest(visitor: str) -> dict[str, RunFolder]:
    """By the names of the arms, those of the visitor's runs that this page has started last."""
    titles = {lab_title(_run(arm, ""), arm.name): arm.name for arm in OWN}
    found: dict[str, RunFolder] = {}
    for folder in own(visitor):
        document = folder.settings
        if (arm := titles.get(str(document.get("title")))) and document.get("kind") != "finetune":
            found.setdefault(arm, folder)
    return {arm.name: found[arm.name] for arm in OWN if arm.name in found}
