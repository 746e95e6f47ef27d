"""Parameter counts, in all and by part, of a model that is not built in memory.

The model is built on torch's meta device, where a tensor has a shape and no numbers; a matrix that two parts share
counts once.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from lab.catalog import MODELS
from lab.settings import SettingsError, nearest

ASSETS = Path(__file__).parents[2] / "assets"
_NAMES = {
    "head": "heads",
    "late": "heads",  # positions that are there only to predict tokens
    "sequence": "heads",
    "boundary": "heads",
    "attention": "attention",
    "cross": "attention",
    "distances": "attention",
    "feed": "ffn",
    "conv": "conv",
    "cell": "lstm",
    "cnn": "char_cnn",
    "highway": "highway",
    "project": "projection",
    "embed": "embeddings",
}
_ORDER = ("embeddings", "char_cnn", "highway", "projection", "norms", "attention", "ffn", "conv", "lstm", "heads")


@dataclass(frozen=True, kw_only=True)
class TensorFacts:
    """One parameter of a model."""

    name: str
    shape: tuple[int, ...]
    count: int
    part: str  # one of those in ``_ORDER``


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published model in the terms of the lab. ``headline`` is the size that its authors state,
    ``headline_zh`` the same in Chinese where it has words.

    ``class_ties``: its class in transformers, built from a configuration, gives it a head tied to the token table,
    which the published file has not. ``headless``: it is published without that by which it was trained.
    """

    name: str
    model: str
    shape: Mapping[str, Any]
    vocabulary: int
    headline: str
    headline_zh: str = ""
    class_ties: bool = False
    headless: bool = False


def count(model: str, shape: Mapping[str, Any], vocabulary: int) -> dict[str, dict[str, int]]:
    """The number of parameters in all (``params``) and by part (``breakdown``, of the model with all its heads).

    ``params`` holds the bare model, the model with its pooler where the family has one, pretrained or not, and the
    model with the heads that it is pretrained with.
    """
    facts = tensors(model, shape, vocabulary)
    whole = sum(fact.count for fact in facts)
    pooler = sum(fact.count for fact in poolers(model, shape, vocabulary))
    bare = sum(fact.count for fact in facts if fact.part != "heads")
    params = {"bare_model": bare, "with_pooler": bare + pooler, "with_pretraining_heads": whole}
    if not pooler:
        del params["with_pooler"]
    parts: Counter[str] = Counter()
    for fact in facts:
        parts[fact.part] += fact.count
    return {"params": params, "breakdown": {part: parts[part] for part in _ORDER if parts[part]}}


def count_published(name: str) -> dict[str, dict[str, int]]:
    """As ``count``, of a published model. Where its class ties what its file does not, the file's number is apart.
    What a published file has not is not counted."""
    model = published(name)
    counts = count(model.model, model.shape, model.vocabulary)
    if model.class_ties:
        params = counts["params"]
        params["published_untied"] = params["with_pretraining_heads"]
        params["with_pretraining_heads"] = params["bare_model"]
    if model.headless:
        del counts["params"]["with_pretraining_heads"], counts["breakdown"]["heads"]
    return counts


def kept_counts(name: str) -> dict[str, dict[str, int]] | None:
    """What ``count_published`` said of the model when the tables were last written, if it was asked: at once, and
    without torch."""
    counts: dict[str, dict[str, int]] | None = _kept().get(published(name).name)
    return counts


def tensors(model: str, shape: Mapping[str, Any], vocabulary: int, classes: int | None = None) -> list[TensorFacts]:
    """Every parameter of the model, in the order of computation: as its authors pretrain it or, with a number of
    ``classes``, with a head that tells so many apart, none for 0."""
    classes = (2 if MODELS[model].pair else 0) if classes is None else classes
    return list(_tensors(model, tuple(sorted(shape.items())), vocabulary, classes))


def poolers(model: str, shape: Mapping[str, Any], vocabulary: int) -> list[TensorFacts]:
    """The parameters of the pooler that published models carry. An entry with ``pooler`` has one although it is not
    pretrained."""
    entry = MODELS[model]
    classes = 2 if entry.pair or entry.pooler else 0
    facts = _tensors(model, tuple(sorted(shape.items())), vocabulary, classes)
    return [fact for fact in facts if ".pooler." in fact.name]


@cache
def attends(model: str) -> bool:
    """Whether a family has attention to look at."""
    sizes = {name: size for name, size in {"width": 64, "depth": 1, "heads": 2}.items() if name in _knobs(model)}
    return any(fact.part == "attention" for fact in tensors(model, sizes, 100))


def _knobs(model: str) -> Any:
    return MODELS[model].settings.knobs()


@lru_cache(maxsize=256)
def _tensors(model: str, shape: tuple[tuple[str, Any], ...], vocabulary: int, classes: int) -> list[TensorFacts]:
    from lab.analysis.outline import outlined  # noqa: PLC0415  with it comes torch, which takes a second

    built = outlined(model, MODELS[model].settings.load(dict(shape)), vocabulary, classes)
    return [
        TensorFacts(name=name, shape=tuple(value.shape), count=value.numel(), part=_part(name))
        for name, value in built.named_parameters()
    ]


def published(name: str) -> Published:
    """The published model of this name."""
    models = _published()
    if name not in models:
        en, zh = nearest(name, list(models))
        raise SettingsError(f"there is no published model {name!r}{en}", f"没有名为 {name!r} 的已发布模型{zh}")
    return models[name]


def published_names() -> list[str]:
    """The names of all published models that the lab's recipes can express."""
    return list(_published())


@cache
def _kept() -> dict[str, Any]:
    counts: dict[str, Any] = json.loads((ASSETS / "counts.json").read_text(encoding="utf-8"))
    return counts


@cache
def _published() -> dict[str, Published]:
    rows = json.loads((ASSETS / "published.json").read_text(encoding="utf-8"))
    return {row["name"]: Published(**row) for row in rows}


def _part(name: str) -> str:
    """The part that a parameter's path names first; a norm counts as a norm unless it is in a head, or that of a token
    in an encoder-decoder, which is published as part of its embedding."""
    path = name.split(".")
    inside = {"head", "sequence", "boundary"} & {*path} or ("embed" in path and path[0] in ("encoder", "decoder"))
    if not inside and any("norm" in step for step in path):
        return "norms"
    return next(_NAMES[step] for step in path if step in _NAMES)
