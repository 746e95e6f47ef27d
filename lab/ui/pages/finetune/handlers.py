"""What the Fine-tune page answers about two runs that differ in nothing but their start.

What these handlers know of the kinship of two runs they read off their settings.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import gradio as gr

from lab.analysis.forecast import forecast
from lab.catalog import CORPORA
from lab.data.corpus import HELD_OUT
from lab.inference import predict
from lab.runs.folder import RunFolder, find_run
from lab.runs.run import Run
from lab.serve.limits import limits, within
from lab.serve.workers import owned
from lab.settings import SettingsError
from lab.training.run_request import command
from lab.ui.pages.finetune.comparison import accuracy, called, confusions, empty, losses, tiles
from lab.ui.runs.follow import Seen, changeable, look, pace, row, sentence
from lab.ui.runs.plan import finetuning, labelled
from lab.ui.runs.run_log import RunLog
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.figures import clock, grouped, percent
from lab.ui.shell.panel import spoken
from lab.ui.shell.visitor import lab_title, label, own, readable, shipped, trained, unseen, usable, workers
from lab.ui.words import pair, say, upper

LISTED, MOST = 60, 20  # comparisons in the list, classes among the bars
STORIES, RATE = 1000, 5e-4
STORIES_TO_TRY = {  # one story with two ends: a model that has read such stories looks at the end
    "en": (
        "Rose was fourteen years old and lived near the church. In spring she planted some cabbages behind the house. "
        "Yet the earth was as hard as stone. Rose fetched a bucket of water for the cabbages from the spring every "
        "morning. Weeds grew between them, and she spent days on her knees. ",
        "In the end, the cabbages grew better than ever. Rose thanked everybody and slept well.",
        "In the end, the cabbages died. Rose thanked nobody and did not sleep well.",
    ),
    "zh": (
        "露丝今年十四岁，住在教堂附近。她很少心情不好。春天，露丝在屋后种了一些卷心菜。然而，地硬得像石头一样。"
        "露丝每天早上从泉边给那些卷心菜提来一桶水。它们中间长了杂草，她跪在地上拔了好几天。",
        "最后，那些卷心菜没有死，长得比从前还好。露丝感谢了每一个人，睡得很香。",
        "最后，那些卷心菜全死了。露丝谁也没有感谢，睡得不香。",
    ),
}
ENDED = ("stopped", "interrupted", "failed")
NO_BARS: dict[str, Any] = {"bars": [], "empty": say("finetune.bars.empty")}


def speak(language: str, query: str) -> Values:
    """Texts in the visitor's language, unless the address has chosen others."""
    chosen = spoken("data")(language, query)
    story, well, _ = STORIES_TO_TRY["zh"]
    return chosen | ({"own": story + well} if chosen and "try" not in query else {})


def cost(visitor: str, asked: Mapping[str, Any]) -> Values:
    """How many texts and steps, and how long; or the sentence that says why it cannot be."""
    try:
        run, _ = finetuning(asked, visitor)
        seconds = checked(run)
    except SettingsError as error:
        return {"forecast": {"tiles": []}, "objection": [["note", pair(upper(error.en), upper(error.zh))]]}
    batch, steps = run.plan.batch, run.plan.steps or 0
    _, values, texts = labelled(asked)
    held = 0 if values.get("test") else round(texts * HELD_OUT)
    tiles = [
        (
            "texts",
            grouped(texts - held),
            say("finetune.cost.held", n=grouped(held)) if held else say("finetune.cost.test"),
        ),
        ("steps", grouped(steps), say("finetune.cost.batch", n=batch)),
        ("seconds", say("finetune.cost.about", n=clock(seconds)), ""),
    ]
    named = [{"name": say(f"finetune.cost.{name}"), "value": value, "note": note} for name, value, note in tiles]
    return {"forecast": {"tiles": named}, "objection": []}


def checked(run: Run) -> float:
    """The seconds that the run will take, about. Raises SettingsError where that is more than is allowed here."""
    tokenizer = find_run(run.parent or "").tokenizer()
    assert tokenizer is not None
    seconds, most = forecast(run, tokenizer.vocabulary.size).seconds, limits().seconds
    if seconds > most:
        raise SettingsError(
            f"this would take about {clock(seconds)} for each run; at most {clock(most)} are allowed here",
            f"每个训练大约需要 {clock(seconds)}，这里最多允许 {clock(most)}",
        )
    return seconds


def start(visitor: str, asked: Mapping[str, Any]) -> Values:
    """Put both runs into the queue, the pretrained one first, and follow them."""
    if not visitor:
        raise SettingsError("your browser sent no name for itself: reload the page", "浏览器没有发送标识：请刷新页面")
    runs = finetuning(asked, visitor)
    checked(runs[0])
    number = sum(changeable(folder) for folder in tuned(visitor)) + 1
    named = [Run.load(run.dump() | {"title": lab_title(run, number)}) for run in runs]
    first, second = workers().start_all(named)
    return {"tuned": first.name, **view(visitor, first.name, second.name), "list": listing(visitor, first.name)}


def stop(visitor: str, name: str) -> Values:
    """Stop both runs."""
    for folder in both(visitor, name):
        if changeable(folder) and folder.status() in ("waiting", "running"):
            owned(folder.name, visitor).ask_to_stop()
    return open_page(visitor, name)


def resume(visitor: str, name: str) -> Values:
    """Let both runs go on, as far as they have not finished."""
    for folder in both(visitor, name):
        if folder.status() in ENDED:
            workers().resume(owned(folder.name, visitor))
    return open_page(visitor, name)


def discard(visitor: str, name: str, shown: str) -> Values:
    """Delete a comparison: both of its runs."""
    folders = [owned(folder.name, visitor) for folder in both(visitor, name)]
    for folder in folders:
        if folder.status() == "waiting":
            folder.ask_to_stop()
    for folder in folders:
        folder.delete()
    return open_page(visitor, "" if name == shown else shown)


def tuned(visitor: str) -> Iterator[RunFolder]:
    """The visitor's fine-tuned runs, the newest first, and then the lab's; of a comparison only the first run."""
    for folder in (*own(visitor), *shipped()):
        document = folder.settings
        if document.get("kind") == "finetune" and not document.get("fresh") and _may_see(visitor, folder.name):
            yield folder


def _may_see(visitor: str, name: str) -> bool:
    try:
        return bool(name) and readable(name, visitor).run.task == "classify"
    except SettingsError:
        return False


def both(visitor: str, name: str) -> list[RunFolder]:
    """A run and, if there is one, the run that differs from it in its start alone."""
    folder = readable(name, visitor)
    mine = folder.settings
    others = _families(visitor).get(_family(mine), [])
    twins = [(other, document) for other, document in others if document.get("fresh") != mine.get("fresh")]
    twins.sort(key=lambda pair: abs(pair[1].get("created", 0) - mine.get("created", 0)))
    return [folder, *[other for other, _ in twins[:1]]]


def _families(visitor: str) -> dict[str, list[tuple[RunFolder, dict[str, Any]]]]:
    """All fine-tuned runs, those together that agree in everything but their start."""
    families: dict[str, list[tuple[RunFolder, dict[str, Any]]]] = {}
    for folder in (*own(visitor), *shipped()):
        document = folder.settings
        if document.get("kind") == "finetune":
            families.setdefault(_family(document), []).append((folder, document))
    return families


def _family(document: dict[str, Any]) -> str:
    parts = ("parent", "task", "corpus", "corpus_settings", "training", "seed", "owner")
    return json.dumps([document.get(part) for part in parts], sort_keys=True)


def open_page(visitor: str, name: str) -> Values:
    """What stands on the page at first: the comparison of the address, else the newest, else one of the lab's."""
    note = {}
    if not _may_see(visitor, name):
        note = {NOTE: unseen(visitor, name)} if name else {}
        name = next((folder.name for folder in tuned(visitor)), "")
    first, second = ([folder.name for folder in both(visitor, name)] + [""])[:2] if name else ("", "")
    return {"tuned": first, **view(visitor, first, second), "list": listing(visitor, first), **note}


def view(visitor: str, first: str = "", second: str = "", seen: Sequence[Seen] | None = None) -> Values:
    """Both runs as they are now, or nothing where nothing is new since they were ``seen``."""
    folders = [readable(name, visitor) for name in (first, second) if name]
    if not folders:
        return _nothing()
    looks = [look(folder, None) for folder in folders]
    now = [looked[1] for looked in looks]
    if seen == now:
        return {}
    logs = [looked[0] for looked in looks]
    values: Values = {
        "seen": now,
        "twin": second,
        "accuracy": accuracy(logs),
        "loss": losses(logs),
        "tiles": {"tiles": tiles(logs)},
        "state": _state(folders, logs, now),
        **confusions(folders, logs),
    }
    before = [glance["stamp"]["status"] for glance in seen] if seen else []
    statuses = [glance["stamp"]["status"] for glance in now]
    if before != statuses:
        values |= _buttons(folders, statuses) | {"command": {"command": command(folders[0].run)}}
        values["again"] = f"{first}:{','.join(statuses)}"
        values |= {"list": listing(visitor, first)} if seen else {}
    every = min(pace(glance["stamp"])[0] for glance in now)
    return values | {"timer": gr.update(value=every, active=any(pace(glance["stamp"])[1] for glance in now))}


def _nothing() -> Values:
    return {
        "seen": None,
        "twin": "",
        "accuracy": empty(),
        "loss": empty(),
        **confusions([], []),
        "tiles": {"tiles": []},
        "state": [],
        "command": {"command": ""},
        "timer": gr.update(active=False),
        "stop": gr.update(visible=False),
        "resume": gr.update(visible=False),
        "again": "",
    }


def _buttons(folders: Sequence[RunFolder], statuses: Sequence[str]) -> Values:
    mine = all(changeable(folder) for folder in folders)
    going = any(status in ("waiting", "running") for status in statuses)
    ended = any(status in ENDED for status in statuses)
    return {"stop": gr.update(visible=mine and going), "resume": gr.update(visible=mine and ended)}


def _state(folders: Sequence[RunFolder], logs: Sequence[RunLog], now: Sequence[Seen]) -> list[list[Any]]:
    notes = []
    for folder, log, seen in zip(folders, logs, now, strict=True):
        which = say(f"finetune.{'random' if folder.settings.get('fresh') else 'pretrained'}")
        notes.append(["note", say("finetune.state", which=which, what=sentence(folder, log, seen["stamp"]))])
    return notes


def classify(visitor: str, text: str, first: str, second: str) -> Values:
    """What both models make of a text: the probability of every class."""
    within(text, limits().prompt)
    return {"bars pretrained": _bars(visitor, text, first), "bars random": _bars(visitor, text, second)}


def _bars(visitor: str, text: str, name: str) -> dict[str, Any]:
    if not name or not text.strip() or not usable(readable(name, visitor)):
        return NO_BARS
    guesses = sorted(predict.classify(trained(name), text), key=lambda guess: guess.id)[:MOST]
    best = max(guesses, key=lambda guess: guess.probability)
    bars = [
        {
            "key": str(guess.id),
            "name": called(guess.token),
            "token": False,
            "value": guess.probability,
            "chosen": guess is best,
        }
        for guess in guesses
    ]
    return NO_BARS | {"bars": bars, "unit": "percent", "max": 1, "wide": True}


def listing(visitor: str, shown: str) -> dict[str, Any]:
    """The comparisons."""
    rows = [_listed(visitor, folder) for folder in islice(tuned(visitor), LISTED)]
    return {"runs": rows, "open": shown, "empty": say("finetune.list.empty"), "pick": False}


def _listed(visitor: str, folder: RunFolder) -> dict[str, Any]:
    run = folder.run
    text = CORPORA[run.corpus]
    facts = [pair(text.title, text.title_zh), say("finetune.list.from", title=_parent(visitor, run))]
    listed = row(folder, run, label(run, folder), facts, "accuracy")
    for other in both(visitor, folder.name)[1:]:
        reached = other.document("result.json").get("validation", {}).get("accuracy")
        if listed["number"] and reached is not None:
            listed["note"] = say("finetune.list.versus", other=percent(reached))
    return listed


def _parent(visitor: str, run: Run) -> Any:
    try:
        parent = readable(Path(run.parent or "").name, visitor)
        return label(parent.run, parent)
    except SettingsError:
        return say("finetune.gone")
