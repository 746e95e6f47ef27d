"""Two models in an address, BERT*ALBERT: each a published name, or a recipe and its sizes."""

import re
from collections.abc import Mapping
from dataclasses import Field
from functools import cache
from typing import Any

from lab.analysis.count import Published, count, published, published_names
from lab.analysis.formula import choices_of, terms
from lab.catalog import MODELS
from lab.settings import SettingsError
from lab.ui.pages.parameters.costs import Side

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
        raise SettingsError("this is no model with its sizes: choose one again", "这不是有效的模型规模：请重新选择")
    sizes = dict(zip(SIZES, map(int, numbers), strict=True))
    for size, (low, high) in ((size, range_of(recipes()[name][0], size)) for size in SIZES):
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


def range_of(model: str, size: str) -> tuple[int, int]:
    """Between what a size of a model may lie that is typed."""
    item = MODELS[model].settings.knobs().get(size)
    if item is None:
        return RANGES[size]
    knob, (low, high) = item.metadata["knob"], RANGES[size]
    return max(low, int(knob.low)), min(high, int(knob.high))


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


def address_of(model: str, shape: Mapping[str, Any], vocabulary: int) -> str:
    """A model and its sizes as one half of the address. Raises SettingsError where the sizes alone do not say it."""
    name = recipe_of(Published(name="", model=model, shape=shape, vocabulary=vocabulary, headline=""))
    given = {size: number for size, number in shape.items() if number is not None}
    address = ".".join([name, *map(str, sizes_of(given, vocabulary).values())])
    if name not in recipes() or count(model, side_of(address).shape, vocabulary) != count(model, shape, vocabulary):
        title = MODELS[model].title
        raise SettingsError(
            f"this {title} differs from the usual one in a setting that has no place here: count it with "
            "python -m lab params",
            f"这个 {title} 有一项设置与通常的不同，这里无法表示：请用 python -m lab params 计算",
        )
    return address


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
    named: dict[str, tuple[str, dict[str, bool | str]]] = {}
    for entry in (each for each in MODELS if "counts" not in each.traits):  # what only counts grows with its text
        named[entry.name] = entry.name, {}
        for name, item in entry.settings.knobs().items():
            others = [True] if item.default is False else _choices(entry.name, item)
            named |= {recipe_name(entry.name, {name: value}): (entry.name, {name: value}) for value in others}
    for model in map(published, published_names()):
        named[recipe_of(model)] = model.model, _chosen(model)
    return named


def _choices(model: str, item: Field[Any]) -> list[str]:
    """The other choices of a setting, those that change what is counted."""
    given = item.metadata["knob"].choices or ()
    return [
        value
        for value in given
        if isinstance(value, str) and value != item.default and terms(model, **{item.name: value}) != terms(model)
    ]


def recipe_name(model: str, chosen: Mapping[str, Any]) -> str:
    """The name of a recipe in an address: the model, and what differs from its usual settings."""
    return "+".join([model, *(name if value is True else f"{name}={value}" for name, value in chosen.items())])


def _chosen(model: Published) -> dict[str, bool | str]:
    """In what a published model differs from its recipe's usual settings, as far as it is counted."""
    usual = MODELS[model.model].settings()
    given = {
        name: value for name, value in choices_of(model.model, model.shape).items() if value != getattr(usual, name)
    }
    return {
        name: value
        for name, value in given.items()
        if terms(model.model, **given)
        != terms(model.model, **{other: setting for other, setting in given.items() if other != name})
    }


def recipe_of(model: Published) -> str:
    """The name of a published model's recipe."""
    return recipe_name(model.model, _chosen(model))
