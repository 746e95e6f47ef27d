"""Parameters: BERT beside ALBERT, counted to the last one while the sizes are moved.

The browser works from formulas that were read off the models; when the sliders rest, the models are built without
memory and their tensors counted, and the page says whether both agree.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gradio as gr

from lab.analysis.count import count, published, published_names
from lab.analysis.formula import pooler_terms, terms
from lab.catalog import MODELS
from lab.exchange.described import described
from lab.settings import SettingsError
from lab.ui.components.bars import Stacked
from lab.ui.components.drawn import to_json
from lab.ui.components.knob_words import choice_title
from lab.ui.components.prose import Prose
from lab.ui.components.shapes import Formulas, Ledger, Shapes, Treemap
from lab.ui.components.side_by_side import Table
from lab.ui.components.tiles import Tiles
from lab.ui.pages.parameters.address import (
    RANGES,
    SIZES,
    address_of,
    range_of,
    recipe_name,
    recipe_of,
    recipes,
    side_of,
    sides_of,
    sizes_of,
)
from lab.ui.pages.parameters.costs import areas, compared, measured, remarks, verdict
from lab.ui.pages.parameters.headline import why
from lab.ui.shell.answers import Values
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import told
from lab.ui.words import WORDS, complaint, pair, say, titled, word

NAME = "parameters"
SLIDERS = {"vocabulary": (1000, 256_000), "width": (32, 12_288), "embedding_width": (16, 4096), "depth": (1, 96)}
PRESETS = (
    ("base", "bert-base-uncased*albert-base-v2"),
    ("large", "bert-large-uncased*albert-large-v2"),
    ("both", "bert-base-uncased*bert-large-uncased"),
    ("xxlarge", "bert-large-uncased*albert-xxlarge-v1"),
    ("chinese", "bert-base-uncased*bert-base-chinese"),
    ("gpt", "bert-base-uncased*gpt2"),
    ("lab", "bert.4096.128.64.4.4.0.128*albert.4096.128.64.4.4.0.128"),
)
NOTHING: dict[str, Any] = {"columns": [], "rows": [], "empty": ""}  # a table that is not shown
CONFIG = 100_000  # characters of a config.json
ABREAST = 460  # pixels: where less is left for each half of the page, one stands below the other


def brought(models: str, event: gr.EventData) -> str:
    """The address with one side as the visitor's config.json describes it."""
    sides_of(models)
    side, text = told(event, "side"), told(event, "text")
    if side not in (0, 1) or not isinstance(text, str) or len(text) > CONFIG:
        raise SettingsError(
            f"a config.json has at most {CONFIG:,} characters: choose another file",
            f"config.json 最多 {CONFIG:,} 个字符：请换一个文件",
        )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "config.json"
        file.write_bytes(text.encode("utf-8", "replace"))
        halves = models.split("*")
        halves[int(side)] = address_of(*described(file))
    return "*".join(halves)


def counted(models: str) -> Values:
    """Both commands, the sentence with the counts of the tensors of both models, and these tensors; or why there are no
    such models."""
    try:
        sides = sides_of(models)
    except SettingsError as error:
        truth = [["problem", complaint(error)]]
        return {"command": {"command": ""}, "truth": truth, "tensors": {"models": []}}
    wholes = [sum(count(side.model, side.shape, side.vocabulary)["breakdown"].values()) for side in sides]
    titles = [titled(MODELS[side.model]) for side in sides]
    note = say("parameters.counted", left=titles[0], right=titles[1], n=f"{wholes[0]:,}", m=f"{wholes[1]:,}")
    command = {"command": "\n".join(side.command for side in sides)}
    return {"command": command, "truth": [["note", note]], "tensors": areas(sides)}


def costs(models: str) -> Values:
    """What a step of both costs; nothing has been measured yet. Models that there cannot be cost nothing."""
    try:
        sides = sides_of(models)
    except SettingsError:
        return {"price": NOTHING, "remark": []}
    return {"price": compared(sides), "remark": remarks(sides)}


def timed(models: str) -> Values:
    """The same with a step of each measured on this machine, and what follows from it."""
    sides = sides_of(models)
    seen = measured(sides)
    return {"price": compared(sides, seen), "remark": [["p", verdict(sides, seen)], *remarks(sides)]}


def facts() -> dict[str, Any]:
    """What the browser works with: each recipe's formulas, the published models and the ranges of the sizes."""
    published_models = [published(name) for name in published_names()]
    return {
        "models": {name: recipe(*parts) for name, parts in recipes().items()},
        "published": [
            {
                "name": model.name,
                "model": recipe_of(model),
                "sizes": sizes_of(model.shape, model.vocabulary),
                "why": why(model),
            }
            for model in published_models
        ],
        "ranges": RANGES,
        "sliders": SLIDERS,
        "presets": [[say(f"parameters.preset.{name}"), models] for name, models in PRESETS],
    }


def recipe(model: str, chosen: Mapping[str, bool | str]) -> dict[str, Any]:
    """A model's title, the sizes that it has and their ranges, its formulas without and with a feed-forward width of
    its own, and those of its pooler."""
    knobs = MODELS[model].settings.knobs()
    own = {
        "plain": terms(model, **chosen),
        "feed": terms(model, own_feed=True, **chosen),
        "pooler": pooler_terms(model),
    }
    named = [(MODELS[model].title, MODELS[model].title_zh)]
    for name, value in chosen.items():
        knob = knobs[name].metadata["knob"]
        en, title = knob.en[0].lower() + knob.en[1:], choice_title(name, value)
        usual = (en, knob.zh) if value is True else (f"{en}: {title['en']}", f"{knob.zh}：{title['zh']}")
        short = WORDS.get(f"parameters.recipe.{name}.{value}")
        named.append((short["en"], short["zh"]) if short else usual)
    apart = (recipe_name(model, chosen), model)  # what is to be said of one of its recipes, else of all
    return {
        "family": pair(*named[0]),
        "title": pair(
            *(mark.join(titles) for mark, titles in zip((", ", "，"), zip(*named, strict=True), strict=True))
        ),
        "apart": next((say(key) for key in (f"parameters.apart.{each}" for each in apart) if key in WORDS), None),
        "sizes": [size for size in SIZES if size == "vocabulary" or size in knobs],
        "ranges": {size: range_of(model, size) for size in SIZES if size in knobs},
        **{name: [asdict(term) for term in formula] for name, formula in own.items()},
    }


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("parameters.title", "parameters.lead")
    with gr.Row(elem_classes=["parameters-top"]):
        with gr.Column(scale=7, min_width=ABREAST):
            bars = Stacked(label=word("parameters.bars"), elem_id="parameters-bars")
            numbers = Tiles(elem_id="parameters-tiles")
            ideas = Prose([], elem_id="parameters-ideas")
            truth = Prose([], elem_id="parameters-truth")
        with gr.Column(scale=5, min_width=ABREAST):
            shapes = Shapes(PRESETS[0][1], label=word("parameters.sizes"), facts=to_json(facts()), elem_id="shapes")
    formulas = Formulas(label=word("parameters.formulas"), elem_id="parameters-formulas")
    readable = ["lab", "lab-table", "whole"]
    price = Table(label=word("parameters.cost"), elem_id="parameters-cost", elem_classes=readable)
    with gr.Row(elem_classes=["lab-examples"]):
        button = gr.Button(word("parameters.measure"), size="sm", elem_id="parameters-measure")
    remark = Prose([], elem_id="parameters-told")
    ledger = Ledger(label=word("parameters.ledger"), elem_id="parameters-ledger")
    tensors = Treemap(label=word("parameters.treemap"), elem_id="parameters-treemap")
    command = frame.command("\n".join(side_of(text).command for text in PRESETS[0][1].split("*")))
    frame.share("models", shapes)
    shapes.worked(
        None, None, [bars, numbers, formulas, ledger, ideas], js="() => window.lab.worked()", api_visibility="private"
    )
    frame.listen(shapes.config, brought, shapes, shapes)
    counts, prices = {"command": command, "truth": truth, "tensors": tensors}, {"price": price, "remark": remark}
    for handler, outputs in ((counted, counts), (costs, prices)):
        opening = frame.opens(handler, shapes, outputs)
        frame.listen(shapes.settle, handler, shapes, outputs, trigger_mode="always_last", js=frame.behind(opening))
    frame.listen(button.click, timed, shapes, prices, show_progress="minimal", concurrency_limit=2)
