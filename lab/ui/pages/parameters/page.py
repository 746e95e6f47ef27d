"""Parameters: BERT beside ALBERT, counted to the last one while the sizes are moved.

The browser works from formulas that were read off the models; when the sliders rest, the models are built without
memory and their tensors counted, and the page says whether both agree.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import Field, asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gradio as gr

from lab.analysis.count import Published, count, published, published_names
from lab.analysis.formula import choices_of, pooler_terms, terms
from lab.catalog import MODELS
from lab.exchange.described import described
from lab.settings import SettingsError
from lab.ui.components.bars import Stacked
from lab.ui.components.drawn import to_json
from lab.ui.components.prose import Prose
from lab.ui.components.shapes import Formulas, Ledger, Shapes, Treemap
from lab.ui.components.side_by_side import Table
from lab.ui.components.tiles import Tiles
from lab.ui.pages.parameters.costs import Side, areas, compared, measured, verdict
from lab.ui.shell.frame import Frame
from lab.ui.words import WORDS, pair, say, word

NAME = "parameters"
SIZES = ("vocabulary", "width", "embedding_width", "depth", "heads", "feed", "context", "kv_heads", "head_width")
LEFT_OUT = ("feed", "kv_heads", "head_width")  # sizes that may be 0, which then follow from others
RANGES = {  # what may be typed; within the knobs' own
    "vocabulary": (1, 1_000_000),
    "width": (4, 16384),
    "embedding_width": (1, 16384),
    "depth": (1, 128),
    "heads": (1, 256),
    "feed": (4, 65536),
    "context": (8, 131_072),
    "kv_heads": (1, 256),
    "head_width": (1, 1024),
}
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
CONFIG = 100_000  # characters of a config.json
ENGLISH = {"bert-base-cased", "bert-base-chinese", "bert-base-multilingual-uncased"}  # headline of the first release
MISCOUNTED = {"gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"}  # by their authors' own later note


def side_of(text: str) -> Side:
    """One half of the address: a published name, or a model and its sizes by dots."""
    if text in published_names():
        known = published(text)
        return Side(known.name, known.model, dict(known.shape), known.vocabulary)
    name, *numbers = text.split(".")
    name = today(name)
    if len(SIZES) - 2 <= len(numbers):  # an address may be from before there were groups and widths of heads
        numbers += ["0"] * (len(SIZES) - len(numbers))
    if name not in recipes() or len(numbers) != len(SIZES) or not all(re.fullmatch(r"\d{1,9}", n) for n in numbers):
        raise SettingsError("this is no model with its sizes: choose one again", "这不是有效的模型尺寸：请重新选择")
    sizes = dict(zip(SIZES, map(int, numbers), strict=True))
    for size, (low, high) in RANGES.items():
        if not low <= sizes[size] <= high and not (size in LEFT_OUT and sizes[size] == 0):
            raise SettingsError(
                f"{size} must lie between {low:,} and {high:,}", f"{size} 必须在 {low:,} 与 {high:,} 之间"
            )
    vocabulary = sizes.pop("vocabulary")
    model, chosen = recipes()[name]
    knobs = MODELS[model].settings.knobs()
    shape: dict[str, Any] = {knob: size or None for knob, size in sizes.items() if knob in knobs} | chosen
    MODELS[model].settings.load(shape)
    return Side("", model, shape, vocabulary)


def today(name: str) -> str:
    """A model and what was chosen for it, in a link, under the names of today."""
    model, *chosen = name.split("+")
    if model not in MODELS:
        return name
    values = dict(word.partition("=")[::2] for word in chosen)
    renamed = MODELS[model].settings.renamed(values)
    return "+".join([model, *(f"{key}={value}" if value else key for key, value in renamed.items())])


def sides_of(models: Any) -> list[Side]:
    """Both halves of the address."""
    if not isinstance(models, str) or len(models) > 400 or models.count("*") != 1:
        raise SettingsError("name two models", "请给出两个模型")
    return [side_of(text) for text in models.split("*")]


def brought(models: str, event: gr.EventData) -> str:
    """The address with one side as the visitor's config.json describes it."""
    sides_of(models)
    side, text = event.side, event.text
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


def address_of(model: str, shape: Mapping[str, Any], vocabulary: int) -> str:
    """A model and its sizes as one half of the address. Raises SettingsError where the sizes alone do not say it."""
    name = recipe_of(Published(name="", model=model, shape=shape, vocabulary=vocabulary, headline=""))
    known = {size: number for size, number in shape.items() if number is not None}
    address = ".".join([name, *map(str, sizes_of(known, vocabulary).values())])
    if name not in recipes() or count(model, side_of(address).shape, vocabulary) != count(model, shape, vocabulary):
        title = MODELS[model].title
        raise SettingsError(
            f"this {title} differs from the usual one in a setting that has no place here: count it with "
            "python -m lab params",
            f"这个 {title} 有一项设置与通常的不同，这里无法表示：请用 python -m lab params 计算",
        )
    return address


def counted(models: str) -> tuple[dict[str, str], list[Any], dict[str, Any]]:
    """Both commands, the sentence with the counts of the tensors of both models, and these tensors."""
    sides = sides_of(models)
    wholes = [sum(count(side.model, side.shape, side.vocabulary)["breakdown"].values()) for side in sides]
    titles = [pair(MODELS[side.model].title, MODELS[side.model].title_zh) for side in sides]
    said = say("parameters.counted", left=titles[0], right=titles[1], n=f"{wholes[0]:,}", m=f"{wholes[1]:,}")
    return {"command": "\n".join(side.command for side in sides)}, [["note", said]], areas(sides)


def costs(models: str) -> tuple[dict[str, Any], list[Any]]:
    """What a step of both costs; nothing has been measured yet."""
    return compared(sides_of(models)), []


def timed(models: str) -> tuple[dict[str, Any], list[Any]]:
    """The same with a step of each measured on this machine, and what follows from it."""
    sides = sides_of(models)
    seen = measured(sides)
    return compared(sides, seen), [["note", verdict(sides, seen)]]


def why(known: Published) -> dict[str, Any]:
    """One line: the headline, the exact counts, and why they differ."""
    params = count(known.model, known.shape, known.vocabulary)["params"]
    data = {name: f"{n:,}" for name, n in params.items()}
    stated = re.findall(r"([\d.]+)([MB])\b", known.headline)
    if not stated:
        return say("parameters.why.none", n=data["with_pretraining_heads"])
    hits = [name for name, n in params.items() if any(rounds_to(n, *each) for each in stated)]
    near = [(n, figures(digits)) for n in params.values() for digits, unit in stated if rounds_roughly(n, digits, unit)]
    shown = {"headline": " / ".join(digits + unit for digits, unit in stated), "n": data["with_pretraining_heads"]}
    if known.name in MISCOUNTED:
        return say("parameters.why.miscounted", **shown)
    if known.name in ENGLISH:
        return say("parameters.why.english", vocabulary=f"{known.vocabulary:,}", **shown)
    if near and not hits:
        return say("parameters.why.rounded", hit=f"{near[-1][0]:,}", digits=near[-1][1], **shown)
    if not hits:
        return say("parameters.why.no", **shown)
    if len(hits) == len(params):
        return say("parameters.why.all", **shown)
    kinds = {"bare_model": "bare", "with_pooler": "pooler", "with_pretraining_heads": "heads"}
    return say(f"parameters.why.{kinds[hits[-1]]}", hit=data[hits[-1]], **shown)


def rounds_to(n: int, digits: str, unit: str) -> bool:
    """Whether a count, rounded to as many digits, is the stated number of millions or billions."""
    return round(n / {"M": 1e6, "B": 1e9}[unit], len(digits.partition(".")[2])) == float(digits)


def rounds_roughly(n: int, digits: str, unit: str) -> bool:
    """Whether a count is the stated number once it is rounded to as many digits as that has before its zeros: 336M is
    340M."""
    shown = f"{n / {'M': 1e6, 'B': 1e9}[unit]:.{figures(digits)}g}"
    return figures(digits) > 1 and float(shown) == float(digits)


def figures(digits: str) -> int:
    """How many digits a stated number has before its closing zeros."""
    return len(digits.replace(".", "").strip("0"))


def sizes_of(shape: Mapping[str, Any], vocabulary: int) -> dict[str, int]:
    """All sizes of a published model; those that its recipe lacks as another one would have them."""
    usual = {
        "vocabulary": vocabulary,
        "embedding_width": 128,
        "depth": 1,
        "heads": 1,
        "context": 128,
        **dict.fromkeys(LEFT_OUT, 0),
    }
    return {size: {**usual, **shape}[size] for size in SIZES}


@cache
def recipes() -> dict[str, tuple[str, dict[str, bool | str]]]:
    """Each recipe by its name in an address: a model, and what differs from its usual settings. There is one for each
    single difference and one for those of each published model."""
    found: dict[str, tuple[str, dict[str, bool | str]]] = {}
    for entry in (each for each in MODELS if "counts" not in each.traits):  # what only counts grows with its text
        found[entry.name] = entry.name, {}
        for name, item in entry.settings.knobs().items():
            others = [True] if item.default is False else _choices(entry.name, item)
            found |= {_named(entry.name, {name: value}): (entry.name, {name: value}) for value in others}
    for each in map(published, published_names()):
        found[recipe_of(each)] = each.model, _chosen(each)
    return found


def _choices(model: str, item: Field[Any]) -> list[str]:
    """The other choices of a setting, those that change what is counted."""
    given = item.metadata["knob"].choices or ()
    return [
        value
        for value in given
        if isinstance(value, str) and value != item.default and terms(model, **{item.name: value}) != terms(model)
    ]


def _named(model: str, chosen: Mapping[str, Any]) -> str:
    return "+".join([model, *(name if value is True else f"{name}={value}" for name, value in chosen.items())])


def _chosen(known: Published) -> dict[str, bool | str]:
    """In what a published model differs from its recipe's usual settings, as far as it is counted."""
    usual = MODELS[known.model].settings()
    given = {
        name: value for name, value in choices_of(known.model, known.shape).items() if value != getattr(usual, name)
    }
    return {
        name: value
        for name, value in given.items()
        if terms(known.model, **given)
        != terms(known.model, **{other: each for other, each in given.items() if other != name})
    }


def recipe_of(known: Published) -> str:
    """The name of a published model's recipe."""
    return _named(known.model, _chosen(known))


def facts() -> dict[str, Any]:
    """What the browser works with: each recipe's formulas, the published models and the ranges of the sizes."""
    known = [published(name) for name in published_names()]
    return {
        "models": {name: recipe(*parts) for name, parts in recipes().items()},
        "published": [
            {
                "name": each.name,
                "model": recipe_of(each),
                "sizes": sizes_of(each.shape, each.vocabulary),
                "why": why(each),
            }
            for each in known
        ],
        "ranges": RANGES,
        "sliders": SLIDERS,
        "presets": [[say(f"parameters.preset.{name}"), models] for name, models in PRESETS],
    }


def recipe(model: str, chosen: Mapping[str, bool | str]) -> dict[str, Any]:
    """A model's title, the sizes that it has, its formulas without and with a feed-forward width of its own, and those
    of its pooler."""
    knobs = MODELS[model].settings.knobs()
    own = {
        "plain": terms(model, **chosen),
        "feed": terms(model, own_feed=True, **chosen),
        "pooler": pooler_terms(model),
    }
    named = [(MODELS[model].title, MODELS[model].title_zh)]
    for name, value in chosen.items():
        knob = knobs[name].metadata["knob"]
        en = knob.en[0].lower() + knob.en[1:]
        named.append((en, knob.zh) if value is True else (f"{en}: {value}", f"{knob.zh}：{value}"))
    return {
        "title": pair(*(mark.join(each) for mark, each in zip((", ", "，"), zip(*named, strict=True), strict=True))),
        "apart": say(f"parameters.apart.{model}") if f"parameters.apart.{model}" in WORDS else None,
        "sizes": [size for size in SIZES if size == "vocabulary" or size in knobs],
        **{name: [asdict(term) for term in formula] for name, formula in own.items()},
    }


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("parameters.title", "parameters.lead")
    with gr.Row(elem_classes=["parameters-top"]):
        with gr.Column(scale=7):
            bars = Stacked(label=word("parameters.bars"), elem_id="parameters-bars")
            numbers = Tiles(elem_id="parameters-tiles")
            ideas = Prose([], elem_id="parameters-ideas")
            truth = Prose([], elem_id="parameters-truth")
        with gr.Column(scale=5):
            shapes = Shapes(PRESETS[0][1], label=word("parameters.sizes"), facts=to_json(facts()), elem_id="shapes")
    formulas = Formulas(label=word("parameters.formulas"), elem_id="parameters-formulas")
    price = Table(label=word("parameters.cost"), elem_id="parameters-cost")
    with gr.Row(elem_classes=["lab-examples"]):
        button = gr.Button(word("parameters.measure"), size="sm", elem_id="parameters-measure")
    said = Prose([], elem_id="parameters-told")
    ledger = Ledger(label=word("parameters.ledger"), elem_id="parameters-ledger")
    tensors = Treemap(label=word("parameters.treemap"), elem_id="parameters-treemap")
    command = frame.command("\n".join(side_of(text).command for text in PRESETS[0][1].split("*")))
    frame.share("models", shapes)
    shapes.worked(
        None, None, [bars, numbers, formulas, ledger, ideas], js="() => window.lab.worked()", api_visibility="private"
    )
    taken = frame.listen(shapes.config, brought, [shapes], [shapes])
    for on in (
        functools.partial(frame.listen, taken.then),
        functools.partial(frame.listen, shapes.settle),
        frame.opens,
    ):
        on(counted, [shapes], [command, truth, tensors])
        on(costs, [shapes], [price, said])
    frame.listen(button.click, timed, [shapes], [price, said], show_progress="minimal", concurrency_limit=2)
