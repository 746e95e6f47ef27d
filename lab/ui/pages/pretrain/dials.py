"""What is chosen before the start: text, model and time in sight; objective, size and every other setting folded."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.catalog import MODELS, OBJECTIVES, TOKENIZERS
from lab.runs.run import Run, Training
from lab.serve.limits import limits
from lab.training.sizes import SIZES, shape
from lab.ui.components.choice import Choice
from lab.ui.components.knobs import Knobs, knobs_value
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.tiles import Tiles
from lab.ui.pages.pretrain.form import (
    GROUPS,
    OPTIMIZERS_OWN,
    SECONDS,
    again,
    arrange,
    arriving,
    heeds,
    instead,
    likening,
    masks,
    resize,
    resized,
    still_kept,
    take_column,
    take_file,
    usual,
    with_its_sentence,
)
from lab.ui.pages.pretrain.handlers import LONGEST, MODEL, SIZE
from lab.ui.pages.pretrain.outlook import cost
from lab.ui.pages.pretrain.recipe import KNOBS, LAB, PAPER, arrive, choose, follow_model, note
from lab.ui.runs.pinned_sentence import suggested
from lab.ui.runs.plan import NONE, OWN, built_in, objectives, options, refusals
from lab.ui.shell.answers import apart
from lab.ui.shell.at_rest import at_rest
from lab.ui.shell.forms import Form, Slider, form
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import Panel, any_of, spoken
from lab.ui.shell.visitor import initials
from lab.ui.words import both, pair, say, word

TOPICS = {"model": "pretrain.model", "objective": "pretrain.objective"}  # what other choices know these two by


def dials(frame: Frame) -> tuple[Panel, dict[str, Any]]:
    """The controls that decide a run; the panel's own are among the parts."""
    plain: dict[str, Any] = {"text": Memo(pattern=r"[0-9a-f]{64}")}
    with gr.Row(elem_classes=["lab-choices"]):
        plain |= {"corpus": _texts(), "model": _models(), "seconds": _time()}
        parts = _own_text()
        with gr.Accordion(word("pretrain.more"), open=False):
            more, forms, others = _details(frame)
    panel = Panel(plain | more, forms)
    panel.share(frame, [*panel.plain, *forms])
    return panel, apart(parts, others, panel.plain)


def _texts() -> Choice:
    towns = [
        {"name": e.name, "title": say(f"pretrain.corpus.{e.name}"), "note": pair(e.summary, e.summary_zh)}
        for e in built_in()
    ]
    mine = {"name": OWN, "title": say("pretrain.corpus.own"), "note": say("pretrain.corpus.own.note")}
    return Choice("town_en", options=[*towns, mine], folded=True, label=word("pretrain.corpus"))


def _models() -> Choice:
    given = [
        {**option, "group": say(f"pretrain.paradigm.{MODELS[option['name']].paradigm}")}
        for option in options(list(MODELS))
    ]
    return Choice(MODEL, options=given, topic=TOPICS["model"], folded=True, label=word("pretrain.model"))


def _time() -> Slider:
    most = min(limits().seconds, LONGEST)
    return Slider(10, most, SECONDS[True], step=5, label=word("pretrain.seconds"))


def _own_text() -> dict[str, Any]:
    """Where a text of the visitor's own is brought."""
    parts: dict[str, Any] = {}
    with gr.Column(visible=False, elem_classes=["whole"]) as parts[f"group {OWN}"]:
        parts["file"] = gr.File(label=word("pretrain.upload"), file_count="single", type="filepath", height=160)
        parts["column"] = gr.Dropdown(
            [], label=word("finetune.text_column"), visible=False, allow_custom_value=True, elem_id="pretrain-column"
        )
        parts["paste"] = gr.Textbox(label=word("pretrain.paste"), lines=3, max_lines=8, max_length=limits().pasted)
        parts["facts"] = Prose([])
    return parts


def _details(frame: Frame) -> tuple[dict[str, Any], dict[str, Form], dict[str, Any]]:
    """Every other control, folded: plain ones, forms, and what is shown beside them."""
    parts: dict[str, Any] = {"forecast": Tiles(elem_id="pretrain-forecast")}
    forms: dict[str, Form] = {}
    with gr.Row(equal_height=False):
        with gr.Column(min_width=330):
            plain = _learning()
            with gr.Column() as parts["group corpus"]:
                Prose([["h2", say("pretrain.more.corpus")]])
                forms["corpus_settings"] = form(built_in()[0].settings)
            Prose([["h2", say("pretrain.more.tokenizer")]])
            kinds = [(both(entry.title, entry.title_zh), entry.name) for entry in TOKENIZERS]
            plain["tokenizer"] = gr.Radio(kinds, value="byte_bpe", show_label=False)
            sized = form(TOKENIZERS["byte_bpe"].settings, only=["vocabulary"])
            plain["vocabulary"] = sized.controls["vocabulary"]
            pinned, info = word("pretrain.pinned"), word("pretrain.pinned.info")
            plain["pinned"] = gr.Textbox(suggested("clm", "en"), label=pinned, info=info, lines=2, max_lines=4)
        with gr.Column(min_width=330):
            parts["size"] = frame.share("size", Choice(SIZE, options=_sizes(), label=word("pretrain.size")))
            plain["shape"] = Knobs(knobs_value(MODEL, shape(MODEL, SIZE)), entries=MODELS)
            recipes = [(word(f"pretrain.recipe.{name}"), name) for name in (LAB, PAPER)]
            parts["recipe"] = frame.share("recipe", gr.Radio(recipes, value=LAB, label=word("pretrain.recipe")))
            parts["recipe note"] = Prose(note(MODEL, LAB))
        with gr.Column(min_width=330):
            forms["training"] = form(Training, only=["batch", "packing", *KNOBS])
            parts |= {name: forms["training"].controls[name] for name in KNOBS}
            plain["seed"] = form(Run, only=["seed"]).controls["seed"]
    return plain, forms, parts


def _learning() -> dict[str, Any]:
    """The choice of objectives, each of which knows with what it cannot go, and their settings."""

    def choice(key: str, value: str, given: Sequence[dict[str, Any]], after: Sequence[str]) -> Choice:
        others = [TOPICS[other] for other in after]
        topic = TOPICS.get(key, "")
        return Choice(value, options=given, topic=topic, after=others, label=word(f"pretrain.{key}"))

    def stage(name: str) -> list[dict[str, Any]]:
        return [
            {**option, **_called(option), "refused": refusals(OBJECTIVES[option["name"]])}
            for option in options(objectives(name))
        ]

    own = MODELS[MODEL].objective
    nothing = {"name": NONE, "title": say("pretrain.pair.none")}
    return {
        "objective": choice("objective", own, stage("token"), ["model"]),
        "objective_settings": Knobs(knobs_value(own), entries=objectives("token")),
        "neighbours": gr.Dropdown(
            [(word("pretrain.neighbours.none"), "")],
            value="",
            label=word("pretrain.neighbours"),
            info=word("pretrain.neighbours.info"),
            visible=False,
            allow_custom_value=True,  # runs come and go; what is chosen is checked by the handlers
        ),
        "pair": choice("pair", NONE, [nothing, *stage("pair")], ["model", "objective"]),
        "pair_settings": Knobs(knobs_value(NONE), entries=objectives("pair")),
    }


def _called(option: dict[str, Any]) -> dict[str, Any]:
    """What an objective goes by: its initials, where its name is made of them, with the whole beside."""
    short = initials(OBJECTIVES[option["name"]]) if option["name"] in OBJECTIVES else ""
    return {"title": short, "mark": option["title"]} if short else {}


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


def wire_dials(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    """What one choice means for the others, and what the run would cost."""

    def on(event: Any, handler: Any, inputs: Sequence[Any], names: Sequence[str], opens: bool = False) -> Any:
        outputs = {name: parts[name] for name in names}
        if opens:  # what the address chose must be reflected, too
            frame.opens(handler, inputs, outputs)
        return frame.listen(event, handler, inputs, outputs)

    def read(handler: Any) -> Any:
        return lambda *values: handler(panel.read(values))

    frame.opens(spoken("corpus"), [frame.language, frame.query], {"corpus": parts["corpus"]})
    arranged = ["pinned", "objective_settings", "pair_settings", *[f"group {name}" for name in GROUPS]]
    controls = [panel.plain["model"], panel.plain["seconds"]]
    brought = ["objective", "tokenizer", "seconds"]
    frame.opens(arriving, [controls[0], frame.query], {name: panel.plain[name] for name in brought})
    on(panel.plain["model"].change, usual, controls, brought)
    choices = [panel.plain[name].change for name in ("corpus", "text", "model", "objective", "pair")]
    frame.opens(again, [panel.plain["text"]], {name: parts[name] for name in ("facts", "column")})
    on(any_of(choices), read(arrange), panel.components, arranged, opens=True)
    likes = [panel.plain["objective"], frame.visitor, panel.plain["neighbours"]]
    on(panel.plain["objective"].change, likening, likes, ["neighbours"], opens=True)
    on(panel.plain["objective"].change, masks, [panel.plain["objective"]], ["initial_masking"], opens=True)
    on(parts["optimizer"].change, heeds, [parts["optimizer"]], OPTIMIZERS_OWN, opens=True)
    recipe = [panel.plain["model"], parts["recipe"]]
    trained = [*KNOBS, "recipe note"]
    on(parts["recipe"].change, choose, recipe, trained)
    on(panel.plain["model"].change, follow_model, recipe, trained)
    frame.opens(arrive, [*recipe, frame.query], {name: parts[name] for name in trained})
    sizes = [panel.plain["model"], parts["size"]]
    on(any_of([choice_.change for choice_ in sizes]), resize, sizes, ["shape"])
    frame.opens(resized, [*sizes, panel.plain["shape"], frame.query], {"shape": panel.plain["shape"]})
    shown = ["text", "facts", "column", "pinned"]
    sources, before = [parts["file"], parts["paste"]], [panel.plain["text"], panel.plain["pinned"]]
    uploaded = any_of([parts["file"].upload, parts["file"].clear])
    on(uploaded, with_its_sentence(take_file), [*sources, *before], shown)
    on(parts["paste"].change, with_its_sentence(instead), [*sources[::-1], *before], [*shown, "file"])
    frame.opens(still_kept, panel.plain["text"], parts["file"])
    column = [panel.plain["text"], parts["column"], *before]
    on(parts["column"].input, with_its_sentence(take_column), column, shown)
    settled = at_rest([control.change for control in panel.components], parts["forecast"])
    on(settled, read(cost), panel.components, ["forecast", "objection"], opens=True)
