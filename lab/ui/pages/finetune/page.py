"""Fine-tune: the same labels learnt from a pretrained run and from random weights, side by side."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.runs.run import Run, Training
from lab.ui.components.bars import Bars
from lab.ui.components.choice import Choice
from lab.ui.components.curve import Curve
from lab.ui.components.drawn import to_json
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.run_list import RunList
from lab.ui.components.side_by_side import Table
from lab.ui.components.tiles import Tiles
from lab.ui.pages.finetune.comparison import STARTS, empty
from lab.ui.pages.finetune.dataset import COLUMNS, boxes, look_at, offer, own_file, take_file, take_test
from lab.ui.pages.finetune.handlers import (
    NO_BARS,
    RATE,
    STORIES,
    STORIES_TO_TRY,
    classify,
    cost,
    discard,
    open_page,
    resume,
    speak,
    start,
    stop,
    view,
)
from lab.ui.runs.picker import RunPicker
from lab.ui.runs.plan import EPOCHS, OWN, built_in, tunable, untunable
from lab.ui.shell.answers import Values
from lab.ui.shell.forms import Slider, form
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import Panel, any_of
from lab.ui.words import say, word

NAME = "finetune"


def build(frame: Frame) -> None:
    """Lay the page out and wire it."""
    frame.heading("finetune.title", "finetune.lead")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=330):
            panel, parts = _dials(frame)
        with gr.Column(scale=8, min_width=330):
            parts |= _stage(frame)
    Prose([["h2", say("finetune.list")]])
    parts["list"] = RunList({"runs": [], "empty": say("finetune.list.empty")})
    _wire(frame, panel, parts)


def _dials(frame: Frame) -> tuple[Panel, dict[str, Any]]:
    picker = RunPicker(frame, "finetune.run", tunable, "bert", untunable, strangers=False, snapshots=False)
    note = say("finetune.data.town.note")
    towns = [{"name": entry.name, "title": say(f"finetune.data.{entry.name}"), "note": note} for entry in built_in()]
    mine = {"name": OWN, "title": say("finetune.data.own"), "note": say("finetune.data.own.note")}
    plain: dict[str, Any] = {"parent": picker.run}
    plain["data"] = frame.share("data", Choice("town_en", options=[*towns, mine], label=word("finetune.data")))
    parts: dict[str, Any] = {}
    with gr.Column(visible=False) as parts["mine"]:
        parts["file"] = gr.File(label=word("finetune.upload"), file_count="single", type="filepath", height=160)
        with gr.Row():
            for name in ("text_column", "label_column"):
                plain[name] = gr.Dropdown([], label=word(f"finetune.{name}"), allow_custom_value=True)
        plain["skip"] = gr.Checkbox(False, label=word("finetune.skip"))
        parts["facts"] = Prose([])
        with gr.Accordion(word("finetune.test"), open=False):
            Prose([["note", say("finetune.test.note")]])
            parts["test_file"] = gr.File(
                label=word("finetune.upload"), file_count="single", type="filepath", height=130
            )
    plain["text"] = frame.share("file", Memo(pattern=r"[0-9a-f]{64}"))
    plain["test"] = frame.share("test", Memo(pattern=r"[0-9a-f]{64}"))
    for name in ("file_name", "test_name"):  # as the visitor calls what they brought
        parts[name] = frame.share(name, Memo(pattern=r"[^\x00-\x1f]{0,80}"))
    plain["epochs"] = frame.share("epochs", Slider(1, EPOCHS, 3, step=1, label=word("finetune.epochs")))
    with gr.Accordion(word("finetune.more"), open=False):
        Prose([["h3", say("finetune.more.corpus")]])
        corpus = form(built_in()[0].settings, defaults={"stories": STORIES})
        Prose([["h3", say("finetune.more.training")]])
        how = form(
            Training,
            only=["batch", "learning_rate", "warmup", "weight_decay", "clip"],
            defaults={"learning_rate": RATE},
        )
        plain["seed"] = form(Run, only=["seed"]).controls["seed"]
    panel = Panel(plain, {"corpus_settings": corpus, "training": how})
    panel.share(frame, ["text_column", "label_column", "skip", "seed", "corpus_settings", "training"])
    return panel, parts | plain


def _stage(frame: Frame) -> dict[str, Any]:
    parts: dict[str, Any] = {"tuned": frame.share("tuned", Memo(pattern=r"[\w.-]{0,100}")), "seen": gr.State(None)}
    parts |= {"twin": Memo(pattern=r"[\w.-]{0,100}"), "again": Memo()}
    parts["forecast"] = Tiles(elem_id="finetune-forecast")
    parts["objection"] = Prose([])
    with gr.Row(equal_height=False, elem_classes=["lab-run-bar"]):
        for name, variant in (("start", "primary"), ("stop", "stop"), ("resume", "secondary")):
            parts[name] = gr.Button(
                word(f"finetune.{name}"),
                variant=variant,
                visible=name == "start",
                min_width=90,
                elem_id=f"finetune-{name}",
            )
    parts["state"] = Prose([], elem_id="finetune-state")
    parts["tiles"] = Tiles(elem_id="finetune-tiles")
    parts["accuracy"] = Curve(empty(), label=word("finetune.accuracy"))
    with gr.Accordion(word("finetune.confusion"), open=False):
        Prose([["note", say("finetune.confusion.note")]])
        with gr.Row():
            for which in STARTS:
                parts[f"confusion {which}"] = Table(None, label=word(f"finetune.{which}"))
    Prose([["h2", say("finetune.try")]])
    story, well, _ = STORIES_TO_TRY["en"]
    parts["own"] = frame.share("try", gr.Textbox(story + well, label=word("finetune.own"), lines=3, max_lines=8))
    with gr.Row():
        for number, end in enumerate(("well", "badly"), start=1):
            texts = to_json({language: story[0] + story[number] for language, story in STORIES_TO_TRY.items()})
            button = gr.Button(word(f"finetune.end.{end}"), size="sm", min_width=120)
            script = f"() => ({texts})[window.lab.language]"
            button.click(None, None, [parts["own"]], js=script, api_visibility="private")
    with gr.Row():
        for which in STARTS:
            parts[f"bars {which}"] = Bars(NO_BARS, label=word(f"finetune.{which}"))
    parts["loss"] = Curve(empty(), label=word("finetune.loss"))
    parts["command"] = frame.command()
    parts["timer"] = gr.Timer(1.0, active=False)
    return parts


def _wire(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    names = ["tuned", "twin", "seen", "again", "stop", "resume", "state", "tiles", "accuracy", "loss", "command"]
    names += ["timer", "list", *[f"confusion {which}" for which in STARTS]]
    visitor, shown = frame.visitor, parts["tuned"]

    def on(event: Any, handler: Any, inputs: Sequence[Any], answers: Sequence[str] = names) -> Any:
        return frame.listen(event, handler, inputs, {name: parts[name] for name in answers})

    def price(visitor: str, *values: Any) -> Values:
        return cost(visitor, panel.read(values))

    def begin(visitor: str, *values: Any) -> Values:
        return start(visitor, panel.read(values))

    def pick(visitor: str, evt: gr.EventData) -> Values:
        return open_page(visitor, str(evt.id))

    def drop(visitor: str, now: str, evt: gr.EventData) -> Values:
        return discard(visitor, str(evt.id), now)

    frame.opens(speak, [frame.language, frame.query], {name: parts[name] for name in ("data", "own")})
    taken = ["text", "file_name", "facts", "text_column", "label_column"]
    on(parts["file"].change, take_file, [parts["file"]], taken)
    on(parts["test_file"].change, take_test, [parts["test_file"]], ["test", "test_name"])
    brought = [parts[name] for name in ("text", "file_name", "test", "test_name")]
    frame.opens(boxes, brought, {name: parts[name] for name in ("file", "test_file")})
    names_of = [f"{part}_column" for part in COLUMNS]
    offered = frame.opens(offer, [parts["text"], frame.query], {name: parts[name] for name in names_of})
    chosen = [parts[name] for name in ("text", *names_of, "skip", "test")]
    on(offered.then, look_at, chosen, ["facts"])
    on(any_of([each.change for each in chosen]), look_at, chosen, ["facts"])
    frame.opens(own_file, [parts["data"]], {"mine": parts["mine"]})
    on(parts["data"].change, own_file, [parts["data"]], ["mine"])
    on(
        any_of([control.change for control in panel.components]),
        price,
        [visitor, *panel.components],
        ["forecast", "objection"],
    )
    on(parts["start"].click, begin, [visitor, *panel.components])
    on(parts["stop"].click, stop, [visitor, shown])
    on(parts["resume"].click, resume, [visitor, shown])
    on(parts["timer"].tick, view, [visitor, shown, parts["twin"], parts["seen"]])
    on(parts["list"].show, pick, [visitor])
    on(parts["list"].discard, drop, [visitor, shown])
    frame.opens(open_page, [visitor, shown], {name: parts[name] for name in names})
    costs = ["forecast", "objection"]
    frame.opens(price, [visitor, *panel.components], {name: parts[name] for name in costs})
    bars = [f"bars {which}" for which in STARTS]
    for event in (parts["own"].change, parts["again"].change):
        on(event, classify, [visitor, parts["own"], shown, parts["twin"]], bars)
