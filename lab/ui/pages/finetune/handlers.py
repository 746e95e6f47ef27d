"""What the Fine-tune page answers about a comparison: it is started, followed, stopped, deleted and found again."""

import secrets
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import gradio as gr

from lab.catalog import CORPORA, TASKS
from lab.runs.folder import ENDED_EARLY, GOING, RunFolder
from lab.runs.run import Run
from lab.serve.ownership import must_be_named, owned
from lab.training.run_request import command
from lab.ui.pages.finetune.arms import arms, belongs, called, comparisons, parent_title, parents_title
from lab.ui.pages.finetune.comparison import confusions, empty, losses, measure_of, scores, tiles, unit, ways, written
from lab.ui.pages.finetune.cost import checked
from lab.ui.pages.finetune.moved import of_arms
from lab.ui.pages.finetune.slots import filled
from lab.ui.runs.fine_tuning import BETWEEN, MOST, finetuning, names_in
from lab.ui.runs.follow import Seen, changeable, look, pace, row, sentence
from lab.ui.runs.run_log import RunLog, at_the_end
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.visitor import lab_title, label, next_number, readable, unseen, workers
from lab.ui.words import pair, say, titled

LISTED = 60  # comparisons in the list


def start(visitor: str, asked: Mapping[str, Any]) -> Values:
    """Put all arms into the queue, in their order, and follow them."""
    must_be_named(visitor)
    planned = finetuning(asked, visitor)
    checked(planned)
    number = next_number(visitor)
    mark = secrets.token_hex(8)
    named = [Run.load(run.dump() | {"title": lab_title(run, number), "comparison": mark}) for run in planned.runs]
    names = [folder.name for folder in workers().start_all(named)]
    return {"tuned": names[0], **view(visitor, BETWEEN.join(names)), "list": listing(visitor, names[0])}


def stop(visitor: str, name: str) -> Values:
    """Stop all arms."""
    for folder in arms(visitor, name):
        if changeable(folder) and folder.status() in GOING:
            owned(folder.name, visitor).ask_to_stop()
    return open_page(visitor, name)


def resume(visitor: str, name: str) -> Values:
    """Let all arms go on, as far as they have not finished."""
    for folder in arms(visitor, name):
        if folder.status() in ENDED_EARLY:
            workers().resume(owned(folder.name, visitor))
    return open_page(visitor, name)


def discard(visitor: str, name: str, shown: str) -> Values:
    """Delete a comparison: all of its runs."""
    folders = [owned(folder.name, visitor) for folder in arms(visitor, name)]
    for folder in folders:
        if folder.status() == "waiting":
            folder.ask_to_stop()
    for folder in folders:
        folder.delete()
    return open_page(visitor, "" if name == shown else shown)


def open_page(visitor: str, name: str) -> Values:
    """What stands on the page at first: the comparison of the address, else the newest, else one of the lab's."""
    note = {}
    if not belongs(visitor, name):
        note = {NOTE: unseen(visitor, name)} if name else {}
        name = next((found[0].name for found in comparisons(visitor)), "")
    names = [folder.name for folder in arms(visitor, name)][:MOST] if name else []
    first = names[0] if names else ""
    return {"tuned": first, **view(visitor, BETWEEN.join(names)), "list": listing(visitor, first), **note}


def look_again(visitor: str, names: str, seen: Sequence[Seen] | None) -> Values:
    """What is new of all arms; where one has been deleted meanwhile, in another tab or to make room, what is left."""
    named = names_in(names)
    there = [name for name in named if belongs(visitor, name)]
    return view(visitor, names, seen) if there == named else open_page(visitor, (there or named)[0])


def come_back(visitor: str, names: str, seen: Sequence[Seen] | None) -> Values:
    """What is new of all arms, and what has come into the list meanwhile, in another window."""
    return {"list": listing(visitor, next(iter(names_in(names)), ""))} | look_again(visitor, names, seen)


def view(visitor: str, names: str = "", seen: Sequence[Seen] | None = None) -> Values:
    """All arms as they are now, or nothing where nothing is new since they were ``seen``."""
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    if not folders:
        return _nothing()
    looks = [look(folder, None) for folder in folders]
    now = [looked[1] for looked in looks]
    if seen == now:
        return {}
    logs = [at_the_end(folder, looked[0]) for folder, looked in zip(folders, looks, strict=True)]
    titles = called(visitor, folders)
    statuses = [glance["stamp"]["status"] for glance in now]
    ended = not any(status in GOING for status in statuses)
    values: Values = {
        "seen": now,
        "arms": names,
        "scores": scores(folders, logs, titles),
        "loss": losses(logs, titles),
        "tiles": {"tiles": tiles(folders, logs, titles, ended=ended)},
        "ways": ways(folders, logs, titles),
        "ways picture": of_arms(folders, logs, titles),
        "state": _state(visitor, folders, logs, now, titles),
        **filled("confusion", titles, confusions(folders, [log.check.get("confusion") for log in logs])),
    }
    before = [glance["stamp"]["status"] for glance in seen] if seen else []
    if before != statuses:
        values |= _buttons(folders, statuses)
        values["command"] = {"command": "\n".join(command(folder.run) for folder in folders)}
        values["again"] = f"{names}:{','.join(statuses)}"
        values |= {"list": listing(visitor, folders[0].name)} if seen else {}
    every = min(pace(glance["stamp"])[0] for glance in now)
    return values | {"timer": gr.update(value=every, active=any(pace(glance["stamp"])[1] for glance in now))}


def _nothing() -> Values:
    return {
        "seen": None,
        "arms": "",
        "scores": empty(),
        "loss": empty(),
        **filled("confusion", [], []),
        "tiles": {"tiles": []},
        "ways": ways([], [], []),
        "ways picture": of_arms([], [], []),
        "state": [],
        "command": {"command": ""},
        "timer": gr.update(active=False),
        "stop": gr.update(visible=False),
        "resume": gr.update(visible=False),
        "again": "",
    }


def _buttons(folders: Sequence[RunFolder], statuses: Sequence[str]) -> Values:
    mine = all(changeable(folder) for folder in folders)
    going = any(status in GOING for status in statuses)
    ended = any(status in ENDED_EARLY for status in statuses)
    return {"stop": gr.update(visible=mine and going), "resume": gr.update(visible=mine and ended)}


def _state(
    visitor: str, folders: Sequence[RunFolder], logs: Sequence[RunLog], now: Sequence[Seen], titles: Sequence[Any]
) -> list[list[Any]]:
    """What is shown, which need not be what is chosen beside it, and how each arm goes."""
    run = folders[0].run
    task, corpus = TASKS[str(run.task)], CORPORA[run.corpus]
    what = {"task": pair(task.title.lower(), task.title_zh), "corpus": titled(corpus)}
    what["runs"] = parents_title(visitor, [folder.run for folder in folders])
    arms = [
        ["note", say("finetune.state", which=title, what=sentence(folder, log, seen["stamp"]))]
        for folder, log, seen, title in zip(folders, logs, now, titles, strict=True)
    ]
    if folders[0].is_shipped:  # it stands there at first, whatever is chosen beside it
        return [["h3", say("finetune.shown.shipped", **what)], *arms]
    return [["p", say("finetune.shown", **what)], *arms]


def listing(visitor: str, shown: str) -> dict[str, Any]:
    """The comparisons."""
    rows = [_listed(visitor, found) for found in islice(comparisons(visitor), LISTED)]
    return {"runs": rows, "open": shown, "empty": say("finetune.list.empty"), "pick": False}


def _listed(visitor: str, folders: Sequence[RunFolder]) -> dict[str, Any]:
    """A comparison as a row: its first arm's score, and those of the others."""
    folder, run = folders[0], folders[0].run
    text = CORPORA[run.corpus]
    facts = [titled(text), say("finetune.list.from", title=parent_title(visitor, run))]
    listed = row(folders, run, label(run, folder), facts, "accuracy")
    reached = [each.document("result.json").get("validation", {}) for each in folders]
    measure = measure_of(folder, reached[0])
    if measure not in reached[0]:
        return listed
    listed["number"], listed["note"] = written(measure, reached[0][measure]), unit(folder, measure)
    others = [written(measure, each[measure]) for each in reached[1:] if measure in each]
    if others:
        titles = called(visitor, folders)
        listed["note"] = say("finetune.list.versus", first=titles[0], others=pair(", ".join(others), "、".join(others)))
    return listed
