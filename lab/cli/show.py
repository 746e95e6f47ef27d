"""``list`` and ``params``: what there is to choose from, and how many parameters a model has."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.catalog import MODELS, REGISTRIES
from lab.cli.answer import Answer, table
from lab.cli.flags import Parser, add_settings, given, peek
from lab.engine.count import count, count_published, published, published_names
from lab.engine.exchange.described import counted
from lab.registry import Entry
from lab.settings import Knob, SettingsError, nearest


def list_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.add_argument("what", nargs="?", metavar="WHAT", help=f"one of: {', '.join(REGISTRIES)}; all if left out")


def list(asked: Namespace) -> Answer:
    """Every entry of the registers, or of one."""
    if asked.what and asked.what not in REGISTRIES:
        meant = nearest(asked.what, [*REGISTRIES])
        raise SettingsError(f"there is no list of {asked.what!r}{meant[0]}", f"没有 {asked.what!r} 的列表{meant[1]}")
    chosen = {asked.what: REGISTRIES[asked.what]} if asked.what else REGISTRIES
    document = {kind: [_entry(entry) for entry in registry] for kind, registry in chosen.items()}
    blocks = [
        f"{kind}\n" + table([["", entry.name, entry.title, entry.summary] for entry in registry])
        for kind, registry in chosen.items()
        if registry.names()
    ]
    return Answer(document, "\n\n".join(blocks))


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "title": entry.title,
        "summary": entry.summary,
        "title_zh": entry.title_zh,
        "summary_zh": entry.summary_zh,
        "paper": entry.paper,
        "traits": sorted(entry.traits),
        "settings": [_setting(name, item.default, item.metadata["knob"]) for name, item in _knobs(entry)],
    }


def _setting(name: str, default: Any, knob: Knob) -> dict[str, Any]:
    choices = [*knob.choices] if knob.choices is not None else None
    return {"name": name, "default": default, "help": knob.en, "low": knob.low, "high": knob.high, "choices": choices}


def _knobs(entry: Entry) -> Any:
    return entry.settings.knobs().items()


def params_flags(parser: Parser, words: Sequence[str]) -> None:
    names = ", ".join(published_names())
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help=f"a path to a config.json, or a published model: {names}"
    )
    parser.add_argument("--model", metavar="M", help=f"a model of your own shape: {', '.join(MODELS.names())}")
    parser.add_argument("--vocab", type=int, default=8192, metavar="N", help="vocabulary of your own shape (8192)")
    if peek(words, "--model") in MODELS:
        add_settings(parser, "model", "shape", MODELS[peek(words, "--model")].settings, short=True)


def params(asked: Namespace) -> Answer:
    """Exact counts, in all and part by part."""
    if bool(asked.name) == bool(asked.model):
        raise SettingsError(
            "name either a published model or, with --model, one of your own shape",
            "请给出一个已发布模型的名称，或用 --model 指定自己的模型",
        )
    if asked.vocab < 1:
        raise SettingsError(f"vocab {asked.vocab} is below 1", f"vocab {asked.vocab} 小于 1")
    if asked.name and asked.name.endswith(".json"):
        name, found = asked.name, counted(Path(asked.name))
    elif asked.name:
        name, found = published(asked.name).name, count_published(asked.name)
    else:
        name, found = asked.model, count(MODELS[asked.model].name, given(asked, "model"), asked.vocab)
    whole = sum(found["breakdown"].values())
    rows = [[kind.replace("_", " "), f"{n:>13,}"] for kind, n in found["params"].items()]
    parts = [[part, f"{n:>13,}", f"{n / whole:6.1%}"] for part, n in found["breakdown"].items()]
    return Answer({"name": name, **found}, f"{name}\n{table(rows)}\n\nof which\n{table(parts)}")
