"""``models``: published models from the Hub, fetched once and kept for everybody who uses the lab on this machine."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tqdm import tqdm

from lab.cli.answer import Answer, table
from lab.cli.flags import Parser, add_gigabytes
from lab.exchange.hub_models import MODELS, hub_model
from lab.exchange.hub_store import SOURCE, fetch_and_keep, forget, kept, kept_as, size_of
from lab.exchange.importing import LARGEST
from lab.runs.folder import RunFolder
from lab.settings import SettingsError

PARTS = {
    "list": "the models that the lab offers by name, and those that are here",
    "fetch": "fetch models from the Hub: afterwards they are there without a network",
    "delete": "remove a model from this machine",
}
MEGABYTE = 10**6
EVERY = "all"  # stands for every model that the lab offers by name


def models_flags(parser: Parser, words: Sequence[str]) -> None:
    parts = parser.add_subparsers(dest="part", metavar="|".join(PARTS))
    for name, summary in PARTS.items():
        part = parts.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if name == "fetch":
            part.add_argument(
                "names", nargs="+", metavar="NAME", help=f"OWNER/NAME on the Hub, a name of the list, or {EVERY}"
            )
            part.add_argument("--revision", metavar="R", help="the Hub's commit, branch or tag, of one model")
            add_gigabytes(part, LARGEST)
        if name == "delete":
            part.add_argument("name", metavar="NAME", help="a model that is here")


def models(asked: Namespace) -> Answer:
    """One of the parts; the list if none is named."""
    if asked.part in (None, "list"):
        return _list()
    if asked.part == "delete":
        name = _whole(asked.name)
        whole = forget(name)
        what = name if whole else f"what had come of {name}: the model itself was not here"
        return Answer({"name": name, "status": "deleted", "whole": whole}, f"deleted {what}")
    names = [model.name for model in MODELS] if asked.names == [EVERY] else [_whole(name) for name in asked.names]
    if asked.revision and len(names) > 1:
        raise SettingsError("--revision is of one model: name one", "--revision 只用于一个模型：请只写一个")
    fetched = [_fetched(name, asked.revision, asked.gigabytes) for name in names]
    lines = [f"{copy['name']} is here: {copy['run']}, commit {str(copy['revision'])[:7]}" for copy in fetched]
    return Answer({"models": fetched}, "\n".join(lines))


def _fetched(name: str, revision: str | None, most: int) -> dict[str, Any]:
    there = kept_as(name)
    with tqdm(desc=name, unit="B", unit_scale=True, dynamic_ncols=True, file=sys.stderr, disable=bool(there)) as bar:

        def progress(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        return _facts(fetch_and_keep(name, revision, most, progress))


def _list() -> Answer:
    here = {str(folder.document(SOURCE).get("name", folder.name)): _facts(folder) for folder in kept()}
    offered = [{**asdict(model), "here": model.name in here} for model in MODELS]
    rows = [
        [model.name, model.model, model.language, _size(model.bytes), model.licence, "here" * (model.name in here)]
        for model in MODELS
    ]
    others = [facts for name, facts in here.items() if hub_model(name) is None]
    rows += [[facts["name"], facts["model"], "", _size(facts["bytes"]), "", "here"] for facts in others]
    return Answer({"offered": offered, "here": [*here.values()]}, table(rows))


def _size(count: int) -> str:
    return f"{count / MEGABYTE:,.0f} MB"


def _facts(folder: RunFolder) -> dict[str, Any]:
    source = folder.document(SOURCE)
    return {
        "name": source.get("name", folder.name),
        "run": folder.name,
        "revision": source.get("revision"),
        "model": folder.settings.get("model", "?"),
        "bytes": size_of(folder),
        "notes": [note["en"] for note in source.get("notes", [])],
    }


def _whole(name: str) -> str:
    """A model's full name, where the list has it by the second half alone."""
    listed = hub_model(name)
    return listed.name if listed else name
