"""When does pretraining pay? A study that comes with the lab, or one of the visitor's own that is under way."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import gradio as gr

from lab.catalog import CORPORA, TASKS
from lab.experiments.recorded import PLACE, recorded
from lab.experiments.study import BETWEEN, RANDOM, STUDY, Study, document_of, study_of
from lab.runs.finding import find_run
from lab.runs.folder import ENDED_EARLY, GOING, RunFolder
from lab.runs.run import Run
from lab.runs.tuning import HOW, OWN
from lab.serve.limits import limits
from lab.serve.ownership import must_be_named, own_study, owner_of, owners, studies
from lab.settings import SettingsError
from lab.ui.pages.finetune.label_budgets import NOTHING, about, by_objective, numbers, picture
from lab.ui.runs.fine_tuning import finetuning, names_in, seconds_of
from lab.ui.runs.follow import Seen
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.figures import clock
from lab.ui.shell.visitor import label, workers
from lab.ui.words import complaint, in_language, language_now, say, titled

BUDGETS = (10, 30, 100, 300, 1000)
USUAL = "10*100*1000"
OWN_OF_A_CELL = ("labels", "evaluations")


@cache
def shipped() -> dict[str, dict[str, Any]]:
    """The studies that come with the lab, by the names of their files."""
    names = sorted(path.stem for path in PLACE.glob("label_budgets-*.json"))
    return {name: document for name in names if (document := recorded(name)) is not None}


def offered(visitor: str) -> list[tuple[str, str]]:
    """What can be looked at, as (title, name): the lab's studies, then the visitor's own, the newest first."""
    lab = [(_title("finetune.study.lab", document), name) for name, document in shipped().items()]
    own = [
        (_title("finetune.study.own", folder.document(STUDY), folder.name[-4:]), folder.name)
        for folder in studies()
        if folder.document(STUDY).get("owner", "") in owners(visitor)
    ]
    return lab + own


def _title(key: str, document: Mapping[str, Any], mark: str = "") -> str:
    task, corpus = TASKS[str(document["task"])], CORPORA[str(document["corpus"])]
    named = {"task": titled(task), "corpus": titled(corpus), "mark": mark}
    return in_language(say(key, **named), language_now())


def look(visitor: str, shown: str, seen: Seen | None = None) -> Values:
    """The study as it is now, or nothing where nothing is new since it was ``seen``; the lab's first one where none is
    named."""
    offers = offered(visitor)
    note, asked = {}, shown
    if shown not in [name for _, name in offers]:
        gone = SettingsError("this study is gone: another is shown", "这项对照实验已不存在：显示的是另一项")
        note, asked, shown = ({NOTE: gone} if shown else {}), "", next((name for _, name in offers), "")
    folder = None if shown in shipped() or not shown else own_study(shown, visitor)
    status = folder.status() if folder else "finished"
    document = _document(folder) if folder else shipped().get(shown)
    now: Any = {"study": shown, "status": status, "cells": len(document["outcomes"]) if document else 0}
    if seen == now:
        return {}
    going = status in GOING
    return {
        **_drawn(document, folder),
        **note,
        "study": asked,
        "studies": gr.update(choices=offers, value=shown or None),
        "study seen": now,
        "study state": _state(folder, status, now["cells"]) if folder else [],
        "study stop": gr.update(visible=going),
        "study resume": gr.update(visible=bool(folder) and status in ENDED_EARLY),
        "study timer": gr.update(active=going),
    }


def _document(folder: RunFolder) -> dict[str, Any]:
    """A visitor's study in the form of the lab's; without starts where their runs were deleted."""
    study = study_of(folder)
    settings = {"steps": study.training["steps"], "batch": study.training["batch"], "seeds": study.seeds}
    try:
        return document_of(folder) | {"settings": settings}
    except SettingsError:
        return {"task": study.task, "score": TASKS[study.task].score, "corpus": study.corpus, "starts": []} | {
            "outcomes": [],
            "settings": settings,
        }


def _drawn(document: Mapping[str, Any] | None, folder: RunFolder | None) -> Values:
    if document is None:
        return {"study picture": NOTHING, "study about": [], "study numbers": {"columns": [], "rows": []}}
    name = called if folder else by_objective(document)
    made = [f"{start['command']} --out {start['name']}" for start in document["starts"] if "command" in start]
    return {
        "study picture": picture(document, name),
        "study about": about(document, name),
        "study numbers": numbers(document, name),
        "study command": {"command": "\n".join([*made, document["command"]] if "command" in document else made)},
    }


def called(start: Mapping[str, Any]) -> Any:
    """A start of the visitor's own study: its run, or random weights of that run's shape."""
    run = find_run(str(start["name"]).rpartition(BETWEEN)[2])
    title = label(run.run, run)
    return say("finetune.random.of", title=title) if start["fresh"] else title


def _state(folder: RunFolder, status: str, cells: int) -> list[list[Any]]:
    """How far a study is, or why it ended."""
    why = folder.document("result.json")
    if status == "failed":
        return [["note", complaint(SettingsError(str(why.get("en", "")), str(why.get("zh", ""))))]]
    done = {"n": cells, "of": study_of(folder).cells, "ahead": workers().place(folder)}
    return [["note", say(f"finetune.study.{status}", **done)]]


def cost(visitor: str, asked: Mapping[str, Any]) -> Values:
    """How many runs a study would take, and how long; or why it cannot be."""
    try:
        study, seconds = planned(visitor, asked)
    except SettingsError as error:
        return {"study cost": [["note", complaint(error)]]}
    said = {"n": study.cells, "starts": len(study.starts), "budgets": len(study.budgets), "seeds": study.seeds}
    return {"study cost": [["note", say("finetune.study.cost", **said, time=clock(seconds))]]}


def begin(visitor: str, asked: Mapping[str, Any]) -> Values:
    """Put a study into the queue and follow it."""
    must_be_named(visitor)
    study, _ = planned(visitor, asked)
    return look(visitor, workers().start_study(study).name)


def stop(visitor: str, shown: str) -> Values:
    """End a study; what it has found stays."""
    folder = own_study(shown, visitor)
    if folder.status() in GOING:
        folder.ask_to_stop()
    return look(visitor, shown)


def resume(visitor: str, shown: str) -> Values:
    """Let a study that has ended before it was done go on from where it stands."""
    workers().resume_study(own_study(shown, visitor))
    return look(visitor, shown)


def planned(visitor: str, asked: Mapping[str, Any]) -> tuple[Study, float]:
    """The study that a visitor asks for, and about how many seconds it takes: from the starts, for the task and on the
    examples that the page's other dials choose, in the first of the ways to fine-tune. Raises SettingsError where that
    cannot be, or takes longer than a training may here."""
    budgets = [int(name) for name in names_in(asked.get("budgets")) if name.isdecimal() and int(name) in BUDGETS]
    most, steps = max(budgets, default=BUDGETS[0]), asked.get("study_steps")
    if not isinstance(steps, int | float) or not 1 <= steps <= 1000:
        raise SettingsError("choose between 1 and 1,000 steps", "步数请选择 1 到 1,000")
    way = (names_in(asked.get("how")) or [HOW[0]])[0]
    drawn_up = finetuning({**asked, "labels": str(most), "how": way, "seed": 0}, visitor)
    runs, learnt = drawn_up.runs, drawn_up.texts.learnt
    shared = {name: value for name, value in runs[0].tuning_settings.items() if name not in OWN_OF_A_CELL}
    study = Study(
        starts=[f"{RANDOM}{BETWEEN}{run.parent}" if run.fresh else str(run.parent) for run in runs],
        task=str(runs[0].task),
        corpus=runs[0].corpus,
        corpus_settings=runs[0].corpus_settings,
        budgets=sorted(budget for budget in budgets if budget <= max(learnt, BUDGETS[0])),
        seeds=asked.get("study_seeds", 1),
        training={**runs[0].training, "steps": int(steps)},
        tuning=shared | {"pooling": asked.get("tuning", {}).get("pooling", OWN)},  # which each start may take otherwise
        owner=owner_of(visitor),
    )
    each = seconds_of(drawn_up, [_cell(run, int(steps)) for run in runs])
    seconds = sum(each) * len(study.budgets) * study.seeds
    if seconds > limits().seconds:
        raise SettingsError(
            f"this would take about {clock(seconds)}; at most {clock(limits().seconds)} are allowed here: "
            "choose fewer budgets, seeds or steps",
            f"大约需要 {clock(seconds)}，这里最多允许 {clock(limits().seconds)}：请减少预算、种子或步数",
        )
    return study, seconds


def _cell(run: Run, steps: int) -> Run:
    """The run as it is in a study: with so many steps, and evaluated at its end alone."""
    tuning = {**run.tuning_settings, "evaluations": 1}
    return Run.load(run.dump() | {"training": {**run.training, "steps": steps}, "tuning_settings": tuning})
