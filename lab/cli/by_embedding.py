"""Similarity by embedding from the command line: ``evaluate --by-embedding``, with nothing trained."""

from argparse import Namespace
from typing import Any

from lab.cli.flags import Parser
from lab.cli.labelled import run_on_labels
from lab.data.reading import parts_of
from lab.inference.model import Trained
from lab.inference.sentence_vectors import measured_by_embedding
from lab.runs.folder import RunFolder


def by_embedding_flags(parser: Parser) -> None:
    parser.add_argument(
        "--by-embedding",
        action="store_true",
        help="similarity by embedding: how well the cosine of two texts' vectors, the mean of the hidden states and "
        "that of [CLS], says how much they mean the same; with nothing trained",
    )


def by_embedding(asked: Namespace, folder: RunFolder, trained: Trained) -> dict[str, Any]:
    """How well the vectors of a run tell texts that are alike."""
    run = run_on_labels(asked, folder, "similarity")
    return measured_by_embedding(trained, parts_of(run))


def by_layer(document: dict[str, Any]) -> list[list[str]]:
    """The same of every layer, the embedding first, as rows of a table."""
    return [
        [f"  {name} by layer", " ".join(f"{value:.3f}" for value in values)]
        for name, values in document["by_layer"].items()
    ]
