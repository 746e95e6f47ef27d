"""Probing from the command line: ``evaluate --probe``, a linear classifier on each layer of a model left as it is."""

from argparse import Namespace
from typing import Any

from lab.cli.flags import Parser
from lab.cli.labelled import run_on_labels
from lab.data.reading import parts_of
from lab.inference.layer_probe import PROBED, probed, shuffled
from lab.inference.model import Trained
from lab.runs.folder import RunFolder


def probing_flags(parser: Parser) -> None:
    parser.add_argument(
        "--probe",
        metavar="TASK",
        help="probing: how well a linear classifier answers a task from the hidden states of each layer, with the "
        f"model left as it is, and from those of the model with its weights shuffled; {', '.join(PROBED)}",
    )


def probing(asked: Namespace, folder: RunFolder, trained: Trained) -> dict[str, Any]:
    """The scores of the probes by layer."""
    run = run_on_labels(asked, folder, asked.probe)
    parts = parts_of(run)
    found = probed(trained, run, parts)
    return {**found, "shuffled": probed(shuffled(trained), run, parts)["by_layer"]}


def probes_by_layer(document: dict[str, Any]) -> list[list[str]]:
    """The scores as rows of a table, the embedding first."""
    named = {f"{document['score'].replace('_', ' ')} by layer": "by_layer", "weights shuffled": "shuffled"}
    return [[name, " ".join(f"{value:.3f}" for value in document[key])] for name, key in named.items()]
