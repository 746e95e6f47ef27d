"""``export`` and ``import``: runs go to Hugging Face's layout, and models come from there."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lab.cli.answer import Answer
from lab.cli.flags import Parser, add_gigabytes
from lab.cli.run_named import run_named
from lab.exchange.export import export as exported
from lab.exchange.hub import fetched, is_hub_id
from lab.exchange.importing import LARGEST, Brought, bring
from lab.runs.files import must_be_empty
from lab.runs.folder import home
from lab.settings import SettingsError


def export_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.add_argument("--run", required=True, metavar="RUN", help="a run's folder, or its name among the runs")
    parser.add_argument("--to", required=True, metavar="DIR", help="the folder to write, empty or new")


def export(asked: Namespace) -> Answer:
    """Write config, weights and tokenizer."""
    done = exported(run_named(asked.run), Path(asked.to))
    notes = [en for en, _ in done.notes]
    document = {
        "folder": str(done.folder),
        "architecture": done.architecture,
        "parameters_written": done.parameters,
        "notes": notes,
    }
    lines = [f"{done.architecture}: {done.parameters:,} parameters written to {done.folder}", *notes]
    return Answer(document, "\n".join(lines))


def import_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.add_argument("source", metavar="SOURCE", help="a folder, or a model on the Hub as OWNER/NAME")
    parser.add_argument("--to", metavar="RUN", help="the run's folder; a new one among the runs if left out")
    parser.add_argument("--revision", metavar="R", help="the Hub's commit, branch or tag; its newest if left out")
    add_gigabytes(parser, LARGEST)


def import_(asked: Namespace) -> Answer:
    """Make a run of what transformers saved."""
    to, most = Path(asked.to) if asked.to else None, asked.gigabytes
    if to is not None:
        must_be_empty(to)
    if Path(asked.source).is_dir():
        if asked.revision is not None:
            raise SettingsError(
                "a revision is of a model on the Hub, and this is a folder: leave --revision out",
                "版本只用于 Hub 上的模型，而这是文件夹：请去掉 --revision",
            )
        return _answer(bring(Path(asked.source), to, most=most))
    if not is_hub_id(asked.source) or Path(asked.source).exists():
        raise SettingsError(
            f"{asked.source!r} is neither a folder nor a model on the Hub, such as google-bert/bert-base-uncased",
            f"{asked.source!r} 既不是文件夹，也不是 Hub 上的模型（例如 google-bert/bert-base-uncased）",
        )
    if "/" not in asked.source:
        print(f"there is no folder {asked.source!r} here: it is looked for on the Hub", file=sys.stderr)
    bar = tqdm(desc=asked.source, unit="B", unit_scale=True, dynamic_ncols=True, file=sys.stderr)

    def progress(done: int, of: int) -> None:
        bar.total = of
        bar.update(done - bar.n)

    with bar, fetched(asked.source, asked.revision, most, home() / "cache", progress) as model:
        brought = bring(model.folder, to, title=asked.source, most=most)
        return _answer(brought, {"source": asked.source, "revision": model.revision})


def _answer(brought: Brought, more: dict[str, Any] | None = None) -> Answer:
    run = brought.folder.run
    notes = [en for en, _ in brought.notes]
    document = {
        "run": str(brought.folder.path),
        "model": run.model,
        "shape": run.shape,
        "vocabulary": brought.vocabulary,
        "parameters": brought.parameters,
        "notes": notes,
        **(more or {}),
    }
    lines = [f"{run.model} with {brought.parameters:,} parameters, kept in {brought.folder.path}", *notes]
    return Answer(document, "\n".join(lines))
