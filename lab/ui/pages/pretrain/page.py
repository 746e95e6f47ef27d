"""Pretrain: choose a text, a model and an objective, start, and watch the loss fall below what counting can do."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.catalog import MODELS, OBJECTIVES, TOKENIZERS
from lab.runs.run import Run, Training
from lab.serve.limits import limits
from lab.training.sizes import SIZES, shape
from lab.ui.components.choice import Choice
from lab.ui.components.curve import Curve
from lab.ui.components.knobs import Knobs, knobs_value
from lab.ui.components.memo import Memo
from lab.ui.components.pinned import Pinned
from lab.ui.components.prose import Prose
from lab.ui.components.run_list import RunList
from lab.ui.components.tiles import Tiles
from lab.ui.pages.pretrain.form import (
    GROUPS,
    SECONDS,
    again,
    arrange,
    arriving,
    likening,
    resize,
    take_file,
    take_pasted,
    usual,
)
from lab.ui.pages.pretrain.handlers import (
    EMPTY,
    LONGEST,
    MODEL,
    SIZE,
    cost,
    discard,
    followed,
    open_page,
    overlay,
    resume,
    retitle,
    shown_run,
    start,
    stop,
    view,
)
from lab.ui.pages.pretrain.recipe import KNOBS, LAB, PAPER, choose, follow_model, note
from lab.ui.runs.pinned_sentence import suggested
from lab.ui.runs.plan import NONE, OWN, built_in, objectives, options, refusals
from lab.ui.shell.answers import Values
from lab.ui.shell.forms import Form, Slider, form
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import Panel, any_of, spoken, unless
from lab.ui.words import both, pair, say, word

NAME = "pretrain"


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
    pinned, info = word("pretrain.pinned"), word("pretrain.pinned.info")
    first = gr.Textbox(suggested("clm", "en"), label=pinned, info=info, lines=2, max_lines=4)
    plain["pinned"] = frame.share("pinned", first)
    more, forms, groups = _details()
    parts |= groups
    panel = Panel(plain | more, forms)
    panel.share(frame, [*more, *forms])
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
    plain["text"] = frame.share("text", Memo(pattern=r"[0-9a-f]{64}"))
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
            {**option, **_called(option), "refused": refusals(OBJECTIVES[option["name"]])}
            for option in options(objectives(name))
        ]

    nothing = {"name": NONE, "title": say("pretrain.pair.none")}
    return {
        "model": choice(
            "model", MODEL, [{**option, "group": _paradigm(option["name"])} for option in options(list(MODELS))]
        ),
        "objective": choice("objective", MODELS[MODEL].objective, stage("token"), ["model"]),
        "pair": choice("pair", NONE, [nothing, *stage("pair")], ["model", "objective"]),
    }


def _called(option: dict[str, Any]) -> dict[str, Any]:
    """What an objective goes by: its initials, where its name is made of them, with the whole beside."""
    initials = {part[0].lower() for part in option["title"]["en"].split()}
    short = len(option["name"]) <= 4 and initials <= set(option["name"])
    return {"title": option["name"].upper(), "mark": option["title"]} if short else {}


def _paradigm(model: str) -> dict[str, str]:
    return say(f"pretrain.paradigm.{MODELS[model].paradigm}")


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
        own = MODELS[MODEL].objective
        plain["shape"] = Knobs(knobs_value(MODEL, shape(MODEL, SIZE)), entries=MODELS)
        plain["objective_settings"] = Knobs(knobs_value(own), entries=objectives("token"))
        none = (word("pretrain.neighbours.none"), "")
        plain["neighbours"] = gr.Dropdown(
            [none],
            value="",
            label=word("pretrain.neighbours"),
            info=word("pretrain.neighbours.info"),
            visible=False,
            allow_custom_value=True,  # runs come and go; what is chosen is checked by the handlers
        )
        plain["pair_settings"] = Knobs(knobs_value(NONE), entries=objectives("pair"))
        with gr.Column() as groups["group corpus"]:
            Prose([["h3", say("pretrain.more.corpus")]])
            forms["corpus_settings"] = form(built_in()[0].settings)
        Prose([["h3", say("pretrain.more.tokenizer")]])
        kinds = [(both(entry.title, entry.title_zh), entry.name) for entry in TOKENIZERS]
        plain["tokenizer"] = gr.Radio(kinds, value="byte_bpe", show_label=False)
        sized = form(TOKENIZERS["byte_bpe"].settings, only=["vocabulary"])
        plain["vocabulary"] = sized.controls["vocabulary"]
        Prose([["h3", say("pretrain.more.training")]])
        recipes = [(word(f"pretrain.recipe.{name}"), name) for name in (LAB, PAPER)]
        groups["recipe"] = gr.Radio(recipes, value=LAB, label=word("pretrain.recipe"))
        groups["recipe note"] = Prose(note(MODEL, LAB))
        forms["training"] = form(Training, only=["batch", "packing", *KNOBS])
        groups |= {name: forms["training"].controls[name] for name in KNOBS}
        plain["seed"] = form(Run, only=["seed"]).controls["seed"]
    return plain, forms, groups


def _stage(frame: Frame) -> dict[str, Any]:
    """The run on show."""
    parts: dict[str, Any] = {"run": frame.share("run", Memo(pattern=r"[\w.-]{0,100}")), "seen": gr.State(None)}
    parts["forecast"] = Tiles(elem_id="pretrain-forecast")
    parts["objection"] = Prose([])
    parts["start"] = gr.Button(word("pretrain.start"), variant="primary", size="lg", elem_id="pretrain-start")
    with gr.Row(equal_height=False, elem_classes=["lab-run-head"]):
        parts["title"] = gr.Textbox("", label=word("pretrain.run.title"), max_lines=1, max_length=80, scale=5)
        parts["stop"] = gr.Button(word("pretrain.stop"), visible=False, scale=1, min_width=110, variant="stop")
        parts["resume"] = gr.Button(word("pretrain.resume"), visible=False, scale=1, min_width=110, variant="primary")
    parts["state"] = Prose([], elem_id="pretrain-state")
    parts["curve"] = Curve(EMPTY, label=word("pretrain.curve"))
    with gr.Column(visible=False) as parts["second group"]:
        parts["second"] = Curve(EMPTY, label=word("pretrain.second"))
    parts["tiles"] = Tiles()
    parts["follow"] = Pinned(followed(None, [], ""), label=word("pretrain.follow"))
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
        outputs = {name: parts[name] for name in names}
        if opens:  # what the address chose must be reflected, too
            frame.opens(handler, inputs, outputs)
        return frame.listen(event, handler, inputs, outputs)

    def read(handler: Any) -> Any:
        return lambda *values: handler(panel.read(values))

    frame.opens(spoken("corpus"), [frame.language, frame.query], {"corpus": parts["corpus"]})
    arranged = ["pinned", "objective_settings", "pair_settings", *[f"group {name}" for name in GROUPS]]
    dials = [panel.plain["model"], panel.plain["seconds"]]
    frame.opens(arriving, [dials[0], frame.query], {"objective": panel.plain["objective"]})
    on(panel.plain["model"].change, usual, dials, ["objective", "tokenizer", "seconds"])
    choices = [panel.plain[name].change for name in ("corpus", "text", "model", "objective", "pair")]
    frame.opens(again, [panel.plain["text"]], {"facts": parts["facts"]})
    on(any_of(choices), read(arrange), panel.components, arranged, opens=True)
    likes = [panel.plain["objective"], frame.visitor, panel.plain["neighbours"]]
    on(panel.plain["objective"].change, likening, likes, ["neighbours"], opens=True)
    recipe = [panel.plain["model"], parts["recipe"]]
    on(parts["recipe"].change, choose, recipe, [*KNOBS, "recipe note"])
    on(panel.plain["model"].change, follow_model, recipe, [*KNOBS, "recipe note"], opens=True)
    sizes = [panel.plain["model"], parts["size"]]
    on(any_of([choice_.change for choice_ in sizes]), resize, sizes, ["shape"])
    frame.opens(unless("shape", resize), [*sizes, frame.query], {"shape": panel.plain["shape"]})
    on(parts["file"].change, take_file, [parts["file"]], ["text", "facts"])
    on(parts["paste"].change, take_pasted, [parts["paste"]], ["text", "facts"])
    changes = any_of([control.change for control in panel.components])
    on(changes, read(cost), panel.components, ["forecast", "objection"], opens=True)


def _wire_run(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    names = ["run", "seen", "title", "stop", "resume", "state", "curve", "tiles", "follow", "attention", "generate"]
    names += ["finetune", "command", "timer", "list", "overlay", "compared", "second", "second group"]
    visitor, run = frame.visitor, parts["run"]

    def on(event: Any, handler: Any, inputs: Sequence[Any], **more: Any) -> Any:
        return frame.listen(event, handler, inputs, {name: parts[name] for name in names}, **more)

    def begin(visitor: str, *values: Any) -> Values:
        return start(visitor, panel.read(values))

    def pick(visitor: str, evt: gr.EventData) -> Values:
        return shown_run(visitor, str(evt.id))

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
    for chart in ("curve", "second"):
        on(parts[chart].gap, view, [visitor, run])
    on(parts["list"].show, pick, [visitor], trigger_mode="always_last")
    on(parts["list"].discard, drop, [visitor, run])
    on(parts["list"].overlay, compare, [visitor], trigger_mode="always_last")
    frame.opens(open_page, [visitor, run], {name: parts[name] for name in names})
