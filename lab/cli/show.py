"""``list`` and ``params``: what there is to choose from, and how many parameters a model has.

The counts of published models are kept, and said before torch would be loaded: what needs it is imported on first use.
"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.analysis.count import count, count_published, kept_counts, published, published_names
from lab.catalog import MODELS, REGISTRIES
from lab.cli.answer import Answer, table
from lab.cli.flags import Parser, add_settings, belong, given, more_flags, peek
from lab.entries import ModelEntry
from lab.published import Published
from lab.registry import Entry
from lab.settings import Knob, SettingsError, nearest

VOCABULARY = 8192  # of a shape that names none
USUAL = {"vocab": VOCABULARY, "rows": 8, "length": 128, "threads": 0}


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
        **(_published(entry.published) if isinstance(entry, ModelEntry) and entry.published else {}),
    }


def _published(training: Published) -> dict[str, Any]:
    """How a model's paper trained it."""
    notes = {"source": training.source, "beside": training.beside[0], "beside_zh": training.beside[1]}
    return {"published": {**training.training(), **notes}}


def _setting(name: str, default: Any, knob: Knob) -> dict[str, Any]:
    choices = [*knob.choices] if knob.choices is not None else None
    return {"name": name, "default": default, "help": knob.en, "low": knob.low, "high": knob.high, "choices": choices}


def _knobs(entry: Entry) -> Any:
    return entry.settings.knobs().items()


def params_flags(parser: Parser, words: Sequence[str]) -> None:
    names = ", ".join(published_names())
    parser.epilog = more_flags("the model")
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help=f"a config.json or its folder, or a published model: {names}"
    )
    parser.add_argument("--model", metavar="M", help="a model of your own shape: python -m lab list models names them")
    parser.add_argument("--vocab", type=int, metavar="N", help=f"vocabulary size of your own shape ({VOCABULARY})")
    parser.add_argument("--cost", action="store_true", help="what a training step costs, and writing a token")
    parser.add_argument("--measure", action="store_true", help="how long a training step takes on this machine")
    parser.add_argument("--rows", type=int, metavar="N", help="rows of that step (8)")
    parser.add_argument("--length", type=int, metavar="N", help="tokens in a row, if as many fit (128)")
    parser.add_argument("--threads", type=int, metavar="N", help="processor threads, 0 for all (0)")
    model = peek(words, "--model")
    if model and model in MODELS:
        add_settings(parser, "model", "shape", MODELS[model].settings, short=True)


def params(asked: Namespace) -> Answer:
    """Exact counts, in all and part by part; and what a step costs, or takes here, where that is asked."""
    if bool(asked.name) == bool(asked.model):
        raise SettingsError(
            "name either a published model or, with --model, one of your own shape",
            "请给出一个已发布模型的名称，或用 --model 指定自己的模型",
        )
    if asked.name and asked.vocab is not None:
        raise SettingsError(
            f"{asked.name} has a vocabulary of its own: leave --vocab out", f"{asked.name} 有自己的词表：请去掉 --vocab"
        )
    belong(["--cost", "--measure"], named=asked.cost or asked.measure, rows=asked.rows, length=asked.length)
    belong(["--measure"], named=asked.measure, threads=asked.threads)
    vars(asked).update({flag: value for flag, value in USUAL.items() if vars(asked)[flag] is None})
    for flag, low, high in (("vocab", 1, 10**9), ("rows", 1, 4096), ("length", 2, 10**6), ("threads", 0, 256)):
        if not low <= getattr(asked, flag) <= high:
            raise SettingsError(f"{flag} must lie between {low} and {high:,}", f"{flag} 必须在 {low} 与 {high:,} 之间")
    path = Path(asked.name or "")
    folder = asked.name not in published_names() and path.is_dir()
    if asked.name and (folder or asked.name.endswith(".json")):
        from lab.exchange.described import described  # noqa: PLC0415  with it comes torch, which takes a second

        name = asked.name
        model, shape, vocabulary = described(path / "config.json" if folder else path)
        document: dict[str, Any] = {"model": model, **count(model, shape, vocabulary)}
    elif asked.name:
        release = published(asked.name)
        name, model, shape, vocabulary = release.name, release.model, dict(release.shape), release.vocabulary
        document = kept_counts(asked.name) or count_published(asked.name)
    else:
        name, model, shape, vocabulary = asked.model, MODELS[asked.model].name, given(asked, "model"), asked.vocab
        document = count(model, shape, vocabulary)
    whole = sum(document["breakdown"].values())
    rows = [[kind.replace("_", " "), f"{n:>13,}"] for kind, n in document["params"].items()]
    parts = [[part, f"{n:>13,}", f"{n / whole:6.1%}"] for part, n in document["breakdown"].items()]
    text = f"{name}\n{table(rows)}\n\nof which\n{table(parts)}"
    if asked.cost or asked.measure:
        from lab.cli.costs import costs  # noqa: PLC0415  with it comes torch, which takes a second

        context, cost = costs(asked, model, shape, vocabulary)
        document = {**document, "cost": cost}
        text += f"\n\none step of {asked.rows:,} x {context:,} tokens\n" + table(
            [
                [key.replace("_", " "), f"{round(value):>20,}" if value >= 1000 else f"{value:>20.6g}"]
                for key, value in cost.items()
                if value is not None
            ]
        )
    return Answer({"name": name, **document}, text)
