"""Pretrain: choose a text, a model and an objective, start, and watch the loss fall below what counting can do.

Training happens in a worker; the page starts it and reads on in its diary. Whatever reaches these handlers is checked
by them, because anybody can call them.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import gradio as gr

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TOKENIZERS
from lab.engine.forecast import forecast
from lab.engine.run import Run, RunFolder, Training
from lab.serve.limits import limits
from lab.serve.uploads import keep_file, keep_pasted
from lab.serve.workers import owned
from lab.settings import SettingsError
from lab.ui.components.choice import Choice
from lab.ui.components.curve import Curve
from lab.ui.components.memo import Memo
from lab.ui.components.pinned import Pinned
from lab.ui.components.prose import Prose
from lab.ui.components.run_list import RunList
from lab.ui.components.tiles import Tiles
from lab.ui.follow import SMOOTH, Seen, changeable, curve, grouped, look, pace, row, state, tiles, told
from lab.ui.forms import Form, Slider, form
from lab.ui.frame import Frame
from lab.ui.panel import Panel, Values, any_of, spoken, spread
from lab.ui.plan import (
    NONE,
    OWN,
    SIZES,
    built_in,
    command,
    objectives,
    options,
    pretraining,
    refusals,
    shape,
    suggested,
    title,
)
from lab.ui.visitor import label, own, readable, shipped, usable, workers
from lab.ui.words import both, pair, say, upper, word
from lab.vocab import MASK

NAME = "pretrain"
MODEL, SIZE = "gpt", "tiny"  # chosen at first: what beats the bigram before one's eyes
SECONDS = {True: 60, False: 300}  # where the dial stands: to read on is learnt sooner than to fill gaps
LONGEST = 900
LISTED, OVERLAID = 100, 6  # runs
EMPTY = {"series": [], "empty": say("pretrain.empty"), "smooth": SMOOTH}


# ---- before the start


def cost(asked: Mapping[str, Any]) -> Values:
    """What the run would cost, or the sentence that says why it cannot be."""
    without = dict(asked) | ({"corpus": built_in()[0].name} if asked.get("corpus") == OWN else {})
    try:
        run = pretraining(without, "")
        found = forecast(run, run.settings_of("tokenizer").vocabulary)
    except SettingsError as error:
        return {"forecast": {"tiles": []}, "objection": [["note", pair(upper(error.en), upper(error.zh))]]}
    each = grouped(run.plan.batch * run.settings_of("model").context)
    how = say("pretrain.cost.measured" if found.measured else "pretrain.cost.guessed")
    tiles = [
        ("steps", _about(short(found.steps)), how),
        ("tokens", _about(short(found.tokens)), say("pretrain.cost.each", n=each)),
        ("parameters", short(found.parameters), say("pretrain.cost.limit", n=short(limits().parameters))),
        ("memory", _about(f"{found.memory / 2**30:.1f} GB"), say("pretrain.cost.worker")),
    ]
    named = [{"name": say(f"pretrain.cost.{name}"), "value": value, "note": note} for name, value, note in tiles]
    return {"forecast": {"tiles": named}, "objection": []}


def _about(n: str) -> Any:
    return say("pretrain.cost.about", n=n)


def short(n: float) -> str:
    """A count with at most three digits and k, M, G or T."""
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size * 0.9995:
            return f"{n / size:.3g} {unit}"
    return f"{n:.0f}"


def take_file(path: str | None) -> Values:
    """Keep an uploaded text and show what it is."""
    return _taken(keep_file(path, Path(path).name[:80])) if path else {"text": "", "facts": []}


def take_pasted(text: str) -> Values:
    """Keep a pasted text and show what it is."""
    return _taken(keep_pasted(text)) if text.strip() else {"text": "", "facts": []}


def _taken(found: dict[str, Any]) -> Values:
    facts = say("pretrain.own.facts", characters=grouped(found["characters"]), lines=grouped(found["lines"]))
    return {"text": found["mark"], "facts": [["note", facts], ["code", found["start"]]]}


def arrange(asked: Mapping[str, Any]) -> Values:
    """Which parts of the form belong to what is chosen, and the sentence that suits it."""
    chosen = str(asked["corpus"])
    language = CORPORA[chosen].extra.get("language", "en") if chosen in CORPORA else "en"
    shown = {str(asked["model"]), str(asked["objective"]), str(asked["pair"]), OWN if chosen == OWN else "corpus"}
    groups = {f"group {name}": gr.Column(visible=name in shown) for name in _groups()}
    return {"pinned": suggested(str(asked["objective"]), language, str(asked["pinned"])), **groups}


def _groups() -> list[str]:
    return [entry.name for entry in (*MODELS, *OBJECTIVES) if entry.settings.knobs()] + ["corpus", OWN]


def resize(model: str, size: str) -> Values:
    """The knobs of the chosen model, set to a preset."""
    return {f"{model} {name}": value for name, value in shape(model, size).items()} if model in MODELS else {}


def usual(model: str, seconds: float | None) -> Values:
    """What a model learns, what it reads with and how long, unless somebody wants otherwise."""
    if model not in MODELS:
        return {}
    extra = MODELS[model].extra
    values: Values = {"objective": extra["objective"], "tokenizer": extra["tokenizer"]}
    untouched = seconds in SECONDS.values()
    return values | ({"seconds": SECONDS[_onward(extra["objective"])]} if untouched else {})


def _onward(objective: str) -> bool:
    return bool(OBJECTIVES[objective].extra.get("left_to_right"))


# ---- what changes a run


def start(visitor: str, asked: Mapping[str, Any]) -> Values:
    """Put the run into the queue and follow it."""
    if not visitor:
        raise SettingsError("your browser sent no name for itself: reload the page", "浏览器没有发送标识：请刷新页面")
    run = pretraining(asked, visitor)
    number = sum(1 for _ in own(visitor)) + 1
    learns = f"{run.objective} + {run.pair}" if run.pair else run.objective
    named = Run.load(run.dump() | {"title": f"{MODELS[run.model].title} · {learns} · {number}"})
    return _shown(visitor, workers().start(named).name)


def stop(visitor: str, name: str) -> Values:
    """Ask the run to stop after the step that it is in."""
    owned(name, visitor).ask_to_stop()
    return _shown(visitor, name)


def resume(visitor: str, name: str) -> Values:
    """Let a run that was stopped, interrupted or failed go on."""
    workers().resume(owned(name, visitor))
    return _shown(visitor, name)


def retitle(visitor: str, name: str, text: str) -> Values:
    """Give the run another title; an empty one is not taken."""
    folder = owned(name, visitor)
    if wanted := title(text):
        folder.retitle(wanted)
    return {"title": label(folder.run, folder), "list": listing(visitor, name)}


def discard(visitor: str, name: str, shown: str) -> Values:
    """Delete a run; if it was the one on show, another one is shown."""
    folder = owned(name, visitor)
    if folder.status() == "waiting":
        folder.ask_to_stop()
    folder.delete()
    return open_page(visitor, "" if name == shown else shown) | overlay(visitor, [])


# ---- following


def open_page(visitor: str, name: str) -> Values:
    """What stands on the page at first: the run of the address, else the newest, else one that comes with the lab."""
    if not _may_see(visitor, name):
        name = next((folder.name for folder in pretrained(visitor)), "")
    return _shown(visitor, name)


def _shown(visitor: str, name: str) -> Values:
    return {"run": name, **view(visitor, name), "list": listing(visitor, name)}


def _may_see(visitor: str, name: str) -> bool:
    try:
        return bool(name) and readable(name, visitor).run.task is None
    except SettingsError:
        return False


def view(visitor: str, name: str, seen: Seen | None = None) -> Values:
    """All there is to see of a run; with what was ``seen`` at the last look only what is new, or nothing."""
    if not name:
        return _nothing()
    folder = readable(name, visitor)
    known, now, before = look(folder, seen)
    if before and before["stamp"] == now["stamp"]:
        return {}
    run, status = folder.run, now["stamp"]["status"]
    values: Values = {"curve": curve(known, name, before["sent"] if before else (0, 0), now["sent"]), "seen": now}
    values["tiles"] = {"tiles": tiles(folder, run, known, status)}
    if not before or before["stamp"]["pinned"] != now["stamp"]["pinned"]:
        values["follow"] = _followed(run, known.pinned, name)
    if not before or before["state"] != now["state"]:
        values |= {"state": state(folder, known, now["stamp"]), **_buttons(folder, run, status)}
    if not seen or seen["run"] != name:
        name_box = gr.Textbox(label(run, folder), interactive=changeable(folder), visible=True)
        values |= {"title": name_box, "command": _same(run)}
    elif seen["stamp"]["status"] != status:
        values["list"] = listing(visitor, name)
    every, going = pace(now["stamp"])
    if not before or pace(before["stamp"]) != (every, going):
        values["timer"] = gr.Timer(every, active=going)
    return values


def _nothing() -> Values:
    hidden = {name: gr.Button(visible=False) for name in ("stop", "resume", "attention", "generate", "finetune")}
    return {
        "curve": EMPTY,
        "seen": None,
        "tiles": {"tiles": []},
        "state": [],
        "follow": _followed(None, [], ""),
        "title": gr.Textbox("", visible=False),
        "command": {"command": ""},
        "timer": gr.Timer(active=False),
        **hidden,
    }


def _buttons(folder: RunFolder, run: Run, status: str) -> Values:
    """What can be done with the run now."""
    mine, ready = changeable(folder), usable(folder)
    return {
        "stop": gr.Button(visible=mine and status in ("waiting", "running")),
        "resume": gr.Button(visible=mine and status in ("stopped", "interrupted", "failed")),
        "attention": gr.Button(visible=ready),
        "generate": gr.Button(visible=ready and _onward(run.objective)),
        "finetune": gr.Button(visible=ready),
    }


def _followed(run: Run | None, moments: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    sentence = run.pinned if run else ""
    empty = say("pretrain.follow.empty" if sentence or not run else "pretrain.follow.none")
    return {"key": name, "sentence": sentence, "gap": MASK, "moments": list(moments), "empty": empty}


def _same(run: Run) -> dict[str, str]:
    return {"command": command(run)}


# ---- the list


def pretrained(visitor: str) -> Iterator[RunFolder]:
    """The visitor's pretraining runs, the newest first, and then the lab's."""
    return (folder for folder in (*own(visitor), *shipped()) if _may_see(visitor, folder.name))


def listing(visitor: str, shown: str) -> dict[str, Any]:
    """The list of runs."""
    rows = [_listed(folder) for folder in islice(pretrained(visitor), LISTED)]
    return {"runs": rows, "open": shown, "empty": say("pretrain.runs.empty")}


def _listed(folder: RunFolder) -> dict[str, Any]:
    run = folder.run
    facts = [(entry.title, entry.title_zh) for entry in (OBJECTIVES[run.objective], CORPORA[run.corpus])]
    return row(folder, run, label(run, folder), [MODELS[run.model].title, *[pair(*fact) for fact in facts]], "loss")


def overlay(visitor: str, names: Sequence[Any]) -> Values:
    """The validation losses of several runs over each other."""
    folders = [readable(str(name), visitor) for name in list(names)[:OVERLAID]]
    series = [{"name": label(folder.run, folder), **told(folder).valid.part()} for folder in folders]
    drawn = {"series": series, "x": say("run.step"), "y": say("run.nats"), "legend": True}
    return {"overlay": drawn, "compared": gr.Column(visible=len(series) > 1)}


# ---- the page


def build(frame: Frame) -> None:
    """Lay the page out and wire it."""
    frame.heading("pretrain.title", "pretrain.lead")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=330):
            panel, parts = _dials(frame)
        with gr.Column(scale=8, min_width=330):
            parts |= _stage(frame)
    parts |= _records()
    _wire_dials(frame, panel, parts)
    _wire_run(frame, panel, parts)


def _dials(frame: Frame) -> tuple[Panel, dict[str, Any]]:
    """What is chosen before the start; the panel's own controls are among the parts."""
    plain, parts = _text(frame)
    plain |= _learning(frame)
    parts["size"] = frame.share("size", Choice(SIZE, options=_sizes(), label=word("pretrain.size")))
    most = min(limits().seconds, LONGEST)
    dial = Slider(10, most, SECONDS[True], step=5, label=word("pretrain.seconds"))
    plain["seconds"] = frame.share("seconds", dial)
    plain["pinned"] = gr.Textbox(
        suggested("clm", "en"), label=word("pretrain.pinned"), info=word("pretrain.pinned.info"), lines=2, max_lines=4
    )
    more, forms, groups = _details()
    parts |= groups
    panel = Panel(plain | more, forms)
    return panel, parts | panel.plain


def _text(frame: Frame) -> tuple[dict[str, Any], dict[str, Any]]:
    towns = [
        {"name": e.name, "title": say(f"pretrain.corpus.{e.name}"), "note": pair(e.summary, e.summary_zh)}
        for e in built_in()
    ]
    mine = {"name": OWN, "title": say("pretrain.corpus.own"), "note": say("pretrain.corpus.own.note")}
    plain: dict[str, Any] = {
        "corpus": frame.share("corpus", Choice("town_en", options=[*towns, mine], label=word("pretrain.corpus")))
    }
    parts: dict[str, Any] = {}
    with gr.Column(visible=False) as parts[f"group {OWN}"]:
        parts["file"] = gr.File(label=word("pretrain.upload"), file_count="single", type="filepath", height=160)
        parts["paste"] = gr.Textbox(label=word("pretrain.paste"), lines=3, max_lines=8, max_length=limits().pasted)
        parts["facts"] = Prose([])
    plain["text"] = Memo(pattern=r"[0-9a-f]{64}")
    return plain, parts


def _learning(frame: Frame) -> dict[str, Any]:
    """The choice of model and objectives; each objective knows with what it cannot go."""
    topics = {"model": "pretrain.model", "objective": "pretrain.objective"}

    def choice(key: str, value: str, given: Sequence[dict[str, Any]], after: Sequence[str] = ()) -> Any:
        chosen = Choice(
            value,
            options=given,
            topic=topics.get(key, ""),
            after=[topics[other] for other in after],
            label=word(f"pretrain.{key}"),
        )
        return frame.share(key, chosen)

    def stage(name: str) -> list[dict[str, Any]]:
        return [
            {
                **each,
                "title": each["name"].upper(),
                "mark": each["title"],
                "refused": refusals(OBJECTIVES[each["name"]]),
            }
            for each in options(objectives(name))
        ]

    nothing = {"name": NONE, "title": say("pretrain.pair.none")}
    return {
        "model": choice("model", MODEL, options(list(MODELS))),
        "objective": choice("objective", MODELS[MODEL].extra["objective"], stage("token"), ["model"]),
        "pair": choice("pair", NONE, [nothing, *stage("pair")], ["model", "objective"]),
    }


def _sizes() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "title": say(f"pretrain.size.{name}"),
            "mark": say("pretrain.size.mark", **size),
            "note": say("pretrain.size.note", **size),
        }
        for name, size in SIZES.items()
    ]


def _details() -> tuple[dict[str, Any], dict[str, Form], dict[str, Any]]:
    """Every knob, folded: plain controls, forms and the groups that are shown and hidden."""
    plain: dict[str, Any] = {}
    forms: dict[str, Form] = {}
    groups: dict[str, Any] = {}
    with gr.Accordion(word("pretrain.more"), open=False):
        for entry in MODELS:
            with gr.Column(visible=entry.name == MODEL) as groups[f"group {entry.name}"]:
                Prose([["h3", pair(entry.title, entry.title_zh)]])
                forms[f"shape {entry.name}"] = form(entry.settings, defaults=shape(entry.name, SIZE))
        for entry in OBJECTIVES:
            if entry.settings.knobs():
                with gr.Column(visible=False) as groups[f"group {entry.name}"]:
                    Prose([["h3", pair(entry.title, entry.title_zh)]])
                    stage = "pair" if entry.extra["stage"] == "pair" else "objective"
                    forms[f"{stage}_settings {entry.name}"] = form(entry.settings)
        with gr.Column() as groups["group corpus"]:
            Prose([["h3", say("pretrain.more.corpus")]])
            forms["corpus_settings"] = form(built_in()[0].settings)
        Prose([["h3", say("pretrain.more.tokenizer")]])
        kinds = [(both(entry.title, entry.title_zh), entry.name) for entry in TOKENIZERS]
        plain["tokenizer"] = gr.Radio(kinds, value="byte_bpe", show_label=False)
        sized = form(TOKENIZERS["byte_bpe"].settings, only=["vocabulary"])
        plain["vocabulary"] = sized.controls["vocabulary"]
        Prose([["h3", say("pretrain.more.training")]])
        forms["training"] = form(Training, only=["batch", "rate", "warmup", "decay", "clip"])
        plain["seed"] = form(Run, only=["seed"]).controls["seed"]
    return plain, forms, groups


def _stage(frame: Frame) -> dict[str, Any]:
    """The run on show."""
    parts: dict[str, Any] = {"run": frame.share("run", Memo(pattern=r"[\w.-]{0,100}")), "seen": gr.State(None)}
    parts["forecast"] = Tiles()
    parts["objection"] = Prose([])
    parts["start"] = gr.Button(word("pretrain.start"), variant="primary", size="lg", elem_id="pretrain-start")
    with gr.Row(equal_height=False, elem_classes=["lab-run-head"]):
        parts["title"] = gr.Textbox(
            "", label=word("pretrain.run.title"), max_lines=1, max_length=80, scale=5, visible=False
        )
        parts["stop"] = gr.Button(word("pretrain.stop"), visible=False, scale=1, min_width=110, variant="stop")
        parts["resume"] = gr.Button(word("pretrain.resume"), visible=False, scale=1, min_width=110, variant="primary")
    parts["state"] = Prose([])
    parts["curve"] = Curve(EMPTY, label=word("pretrain.curve"))
    parts["tiles"] = Tiles()
    parts["follow"] = Pinned(_followed(None, [], ""), label=word("pretrain.follow"))
    with gr.Row():
        for page in ("attention", "generate", "finetune"):
            parts[page] = gr.Button(word(f"pretrain.door.{page}"), visible=False, min_width=150)
            parts[page].click(None, [parts["run"]], None, js=frame.goto(page, "run"), api_visibility="private")
    parts["command"] = frame.command()
    parts["timer"] = gr.Timer(1.0, active=False)
    return parts


def _records() -> dict[str, Any]:
    """All runs, and several of them over each other."""
    parts: dict[str, Any] = {}
    Prose([["h2", say("pretrain.runs")], ["note", say("pretrain.runs.note")]])
    with gr.Column(visible=False) as parts["compared"]:
        parts["overlay"] = Curve({"series": []}, label=word("pretrain.overlay"))
        Prose([["note", say("pretrain.overlay.note")]])
    parts["list"] = RunList({"runs": [], "empty": say("pretrain.runs.empty")})
    return parts


def _wire_dials(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    def on(event: Any, handler: Any, inputs: Sequence[Any], names: Sequence[str], opens: bool = False) -> Any:
        outputs = [parts[name] for name in names]
        if opens:  # what the address chose must be reflected, too
            frame.opens(spread(names, handler), inputs, outputs)
        return frame.listen(event, spread(names, handler), inputs, outputs)

    def read(handler: Any) -> Any:
        return lambda *values: handler(panel.read(values))

    parts |= knobs(panel)
    frame.opens(spread(["corpus"], spoken("corpus")), [frame.language, frame.query], [parts["corpus"]])
    arranged = ["pinned", *[f"group {name}" for name in _groups()]]
    dials = [panel.plain["model"], panel.plain["seconds"]]
    on(panel.plain["model"].change, usual, dials, ["objective", "tokenizer", "seconds"])
    choices = [panel.plain[name].change for name in ("corpus", "model", "objective", "pair")]
    on(any_of(choices), read(arrange), panel.components, arranged, opens=True)
    sizes = [panel.plain["model"], parts["size"]]
    on(any_of([each.change for each in sizes]), resize, sizes, list(knobs(panel)), opens=True)
    on(parts["file"].change, take_file, [parts["file"]], ["text", "facts"])
    on(parts["paste"].change, take_pasted, [parts["paste"]], ["text", "facts"])
    changes = any_of([each.change for each in panel.components])
    on(changes, read(cost), panel.components, ["forecast", "objection"], opens=True)


def knobs(panel: Panel) -> dict[str, Any]:
    """The knobs of every model, by "model knob"."""
    return {
        f"{entry.name} {name}": control
        for entry in MODELS
        for name, control in panel.forms[f"shape {entry.name}"].controls.items()
    }


def _wire_run(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    names = ["run", "seen", "title", "stop", "resume", "state", "curve", "tiles", "follow", "attention", "generate"]
    names += ["finetune", "command", "timer", "list", "overlay", "compared"]
    visitor, run = frame.visitor, parts["run"]

    def on(event: Any, handler: Any, inputs: Sequence[Any], **more: Any) -> Any:
        return frame.listen(event, spread(names, handler), inputs, [parts[name] for name in names], **more)

    def begin(visitor: str, *values: Any) -> Values:
        return start(visitor, panel.read(values))

    def pick(visitor: str, evt: gr.EventData) -> Values:
        return _shown(visitor, str(evt.id))

    def drop(visitor: str, shown: str, evt: gr.EventData) -> Values:
        return discard(visitor, str(evt.id), shown)

    def compare(visitor: str, evt: gr.EventData) -> Values:
        return overlay(visitor, evt.ids if isinstance(evt.ids, list) else [])

    on(parts["start"].click, begin, [visitor, *panel.components])
    on(parts["stop"].click, stop, [visitor, run])
    on(parts["resume"].click, resume, [visitor, run])
    on(parts["title"].submit, retitle, [visitor, run, parts["title"]])
    on(parts["title"].blur, retitle, [visitor, run, parts["title"]])
    on(parts["timer"].tick, view, [visitor, run, parts["seen"]])
    on(parts["curve"].gap, view, [visitor, run])
    on(parts["list"].show, pick, [visitor], trigger_mode="always_last")
    on(parts["list"].discard, drop, [visitor, run])
    on(parts["list"].overlay, compare, [visitor], trigger_mode="always_last")
    frame.opens(spread(names, open_page), [visitor, run], [parts[name] for name in names])
