"""What the Pretrain page answers: costs, starts, stops and what a run says of itself while it learns.

Training happens in a worker; these handlers start it and read on in its metrics log. Whatever reaches them is checked
here, because anybody can call them.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import gradio as gr

from lab.analysis.count import attends
from lab.catalog import MODELS, OBJECTIVES
from lab.inference.neighbours import knowing_neighbours
from lab.runs.folder import GOING, RunFolder
from lab.runs.notes import MOST, notes_of, take_note
from lab.runs.run import PRETRAIN, Run
from lab.runs.snapshots import steps
from lab.serve.ownership import must_be_named, owned
from lab.settings import SettingsError
from lab.training.run_request import command
from lab.training.sizes import USUAL
from lab.ui.pages.pretrain.optimization import NAMES, lengths, optimization_curves
from lab.ui.pages.pretrain.second_loss import kind, points, second_curve
from lab.ui.runs.changes import corpus_of
from lab.ui.runs.download import can_be_taken
from lab.ui.runs.fine_tuning import first_task, tunable
from lab.ui.runs.follow import HEIGHT, SMOOTH, Seen, changeable, curve, events, look, pace, row, sentence
from lab.ui.runs.plan import pretraining, title
from lab.ui.runs.run_log import RunLog
from lab.ui.runs.run_tiles import tiles
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.figures import size_of
from lab.ui.shell.visitor import lab_title, label, next_number, own, readable, shipped, trained, unseen, usable, workers
from lab.ui.words import say, titled
from lab.vocabulary import MASK

MODEL, SIZE = "gpt", USUAL  # chosen at first: what beats the bigram before one's eyes
LONGEST = 900
LISTED = 100  # runs
PLAYER = ("pause", "play", "one")  # a run that learns waits, goes on, or takes one step
DOORS = ("attention", "generate", "finetune")  # pages that the model can be taken to
EMPTY = {"series": [], "empty": say("pretrain.empty"), "smooth": SMOOTH, "height": HEIGHT}


def start(visitor: str, asked: Mapping[str, Any]) -> Values:
    """Put the run into the queue and follow it."""
    must_be_named(visitor)
    run = pretraining(asked, visitor)
    named = Run.load(run.dump() | {"title": lab_title(run, next_number(visitor))})
    tokenizer = knowing_neighbours(trained(Path(run.neighbours).name)) if run.neighbours else None
    folder = workers().start(named, tokenizer)
    return shown_run(visitor, folder.name)


def stop(visitor: str, name: str) -> Values:
    """Ask the run to stop after the step that it is in."""
    owned(name, visitor).ask_to_stop()
    return shown_run(visitor, name)


def pause(visitor: str, name: str) -> Values:
    """Let the run wait after the step that it is in."""
    owned(name, visitor).pause()
    return shown_run(visitor, name)


def take_one(visitor: str, name: str) -> Values:
    """Let a paused run take one step."""
    folder = owned(name, visitor)
    at = folder.paused_at()
    folder.pause(after=0 if at is None else at + 1)
    return shown_run(visitor, name)


def go_on(visitor: str, name: str) -> Values:
    """Let a paused run wait no longer."""
    owned(name, visitor).go_on()
    return shown_run(visitor, name)


def resume(visitor: str, name: str) -> Values:
    """Let a run that was stopped, interrupted or failed go on."""
    workers().resume(owned(name, visitor))
    return shown_run(visitor, name)


def retitle(visitor: str, name: str, text: str) -> Values:
    """Give the run another title; an empty one is not taken."""
    folder = owned(name, visitor)
    wanted = title(text)
    if wanted and wanted != label(folder.run, folder):  # the lab's own name is said in the page's language
        folder.retitle(wanted)
    run = folder.run
    return {"title": label(run, folder), "name": _named(run, folder), "list": listing(visitor, name)}


def note(visitor: str, name: str, text: str) -> Values:
    """Keep what a visitor notes of a run."""
    return {"notes": take_note(owned(name, visitor), str(text or "")[: 2 * MOST]), "list": listing(visitor, name)}


def _named(run: Run, folder: RunFolder) -> list[list[Any]]:
    return [["p", label(run, folder)]]


def discard(visitor: str, name: str, shown: str) -> Values:
    """Delete a run; if it was the one on show, another one is shown."""
    folder = owned(name, visitor)
    if folder.status() == "waiting":
        folder.ask_to_stop()
    folder.delete()
    return open_page(visitor, "" if name == shown else shown)


def open_page(visitor: str, name: str, ticked: str = "") -> Values:
    """What stands on the page at first: the run of the address, else the newest, else one that comes with the lab; and
    in the list, ticks at the runs that the address compares."""
    found = may_see(visitor, name)
    shown = shown_run(visitor, name if found else next((folder.name for folder in pretrained(visitor)), ""))
    shown["list"]["ticked"] = [*filter(None, ticked.split(","))]
    return shown | ({NOTE: unseen(visitor, name)} if name and not found else {})


def shown_run(visitor: str, name: str) -> Values:
    return {"run": name, **view(visitor, name), "list": listing(visitor, name)}


def may_see(visitor: str, name: str) -> bool:
    """Whether a run is there that has pretrained and that the visitor may see."""
    try:
        return bool(name) and readable(name, visitor).run.kind == PRETRAIN
    except SettingsError:
        return False


def view(visitor: str, name: str, seen: Seen | None = None) -> Values:
    """All there is to see of a run; with what was ``seen`` at the last look only what is new, or nothing."""
    if not name:
        return _nothing()
    folder = readable(name, visitor)
    log, now, before = look(folder, seen)
    if before and before["stamp"] == now["stamp"]:
        return {}
    run, status = folder.run, now["stamp"]["status"]
    values = {**_charts(log, run, name, before, now), "tiles": {"tiles": tiles(folder, run, log, status)}, "seen": now}
    if not before or any(before["stamp"][what] != now["stamp"][what] for what in ("pinned", "status")):
        values["follow"] = followed(folder, log.pinned, steps(folder.path))
    values["state"] = [["p", sentence(folder, log, now["stamp"])]]
    if not before or before["state"] != now["state"]:
        values |= {"events": [] if folder.is_shipped else events(log), **_buttons(folder, run, now["stamp"])}
    if not seen or seen["run"] != name:
        name_box = gr.update(value=label(run, folder), interactive=changeable(folder), visible=True)
        notes = gr.update(value=notes_of(folder), interactive=changeable(folder), visible=changeable(folder))
        values |= {"title": name_box, "notes": notes, "name": _named(run, folder), "command": _same(run)}
    elif any(seen["stamp"][what] != now["stamp"][what] for what in ("status", "paused")):
        values["list"] = listing(visitor, name)
    every, going = pace(now["stamp"])
    if not before or pace(before["stamp"]) != (every, going):
        values["timer"] = gr.update(value=every, active=going)
    return values


def _charts(log: RunLog, run: Run, name: str, before: Seen | None, now: Seen) -> Values:
    """All curves as far as they are new; what was sent of them is noted in ``now``."""
    curves = points(log, run)
    now["sent"] = sent = [*map(len, curves), *lengths(log)]
    had = before["sent"] if before else [0] * len(sent)
    values = {"curve": curve(log, curves[:2], run, name, had[:2], sent[:2])}
    if now["stamp"]["status"] not in GOING:
        values["curve"]["empty"] = say("run.ended")
    values |= optimization_curves(log, run, name, had[4:], sent[4:])
    now["second"] = shown = kind(log, run)
    if shown:
        values["second"] = second_curve(log, run, name, had[2:4], sent[2:4])
    if not before or before.get("second") != shown:
        values["second group"] = gr.update(visible=bool(shown))
    return values


def _nothing() -> Values:
    hidden = {name: gr.update(visible=False) for name in ("stop", *PLAYER, "resume", "download", *DOORS)}
    return {
        "curve": EMPTY,
        **dict.fromkeys(NAMES, EMPTY),
        "second group": gr.update(visible=False),
        "seen": None,
        "tiles": {"tiles": []},
        "name": [],
        "state": [["note", say("pretrain.ready")]],
        "events": [],
        "follow": followed(None, [], []),
        "title": gr.update(value="", visible=False),
        "notes": gr.update(value="", visible=False),
        "command": {"command": ""},
        "timer": gr.update(active=False),
        "task": "",
        **hidden,
    }


def _buttons(folder: RunFolder, run: Run, stamp: Mapping[str, Any]) -> Values:
    """What can be done with the run now. A door that would lead to another model is not there."""
    mine, ready, status, paused = changeable(folder), usable(folder), stamp["status"], stamp["paused"] is not None
    # What its settings made fail before it had learnt anything would fail the same way again.
    again = ready or bool(folder.document("result.json").get("again"))
    return {
        "pause": gr.update(visible=mine and status == "running" and not paused and stamp["loss"] > 0),
        "one": gr.update(visible=mine and paused),
        "play": gr.update(visible=mine and paused),
        "stop": gr.update(visible=mine and status in GOING),
        "resume": gr.update(visible=mine and (status in ("stopped", "interrupted") or (status == "failed" and again))),
        "attention": gr.update(visible=ready and attends(run.model)),
        "generate": gr.update(visible=ready and OBJECTIVES[run.objective].left_to_right),
        "finetune": gr.update(visible=ready and tunable(run)),
        "download": gr.update(visible=can_be_taken(run, folder)),
        "task": first_task(run),
        "moment": f"{ready}:{status in GOING}",
    }


def followed(folder: RunFolder | None, moments: Sequence[dict[str, Any]], snapshots: Sequence[int]) -> dict[str, Any]:
    """The pinned sentence at every moment, and the steps at which the model can be asked again."""
    run, name = (folder.run, folder.name) if folder else (None, "")
    sentence = run.pinned if run else ""
    empty = say(_why_none(folder) if folder else "pretrain.follow.empty")
    truths = run.truths if run else []
    shown = {"key": name, "sentence": sentence, "gap": MASK, "moments": list(moments), "truths": truths, "empty": empty}
    return shown | {"snapshots": list(snapshots)}


def _why_none(folder: RunFolder) -> str:
    """Why a run has no predictions, as a key of the words."""
    run = folder.run
    if not run.pinned:
        return "pretrain.follow.none"
    if MASK not in run.pinned and not OBJECTIVES[run.objective].left_to_right:
        return "pretrain.follow.gapless"
    return "pretrain.follow.empty" if folder.status() in GOING else "run.ended"


def _same(run: Run) -> dict[str, str]:
    return {"command": command(run)}


def pretrained(visitor: str) -> Iterator[RunFolder]:
    """The visitor's pretraining runs, the newest first, and then the lab's, that of the model chosen at first before
    the others."""
    lab = sorted(shipped(), key=lambda folder: folder.settings.get("model") != MODEL)
    return (folder for folder in (*own(visitor), *lab) if may_see(visitor, folder.name))


def listing(visitor: str, shown: str) -> dict[str, Any]:
    """The list of runs."""
    rows = [_listed(folder) for folder in islice(pretrained(visitor), LISTED)]
    return {"runs": rows, "open": shown, "empty": say("pretrain.runs.empty")}


def _listed(folder: RunFolder) -> dict[str, Any]:
    run = folder.run
    objective = OBJECTIVES[run.objective]
    facts = [titled(MODELS[run.model]), titled(objective), _text_of(folder)]
    return row([folder], run, label(run, folder), facts, "loss")


def _text_of(folder: RunFolder) -> Any:
    """The text of a run in a few words: of one's own text, its size."""
    run = folder.run
    path = Path(run.corpus_settings.get("path", ""))
    if run.corpus == "file" and path.is_file():
        return say("pretrain.corpus.own.size", size=size_of(path.stat().st_size))
    return corpus_of(folder)
