"""In-context learning from the command line: ``evaluate --in-context K``, with nothing trained."""

from argparse import Namespace
from typing import Any

from lab.catalog import TASKS
from lab.cli.flags import Parser
from lab.cli.labelled import run_on_labels
from lab.data.reading import parts_of
from lab.inference.in_context import measured_in_context
from lab.inference.model import Trained
from lab.runs.folder import RunFolder
from lab.settings import SettingsError

MOST_SHOTS = 1000  # examples in a prompt: many more than have room


def in_context_flags(parser: Parser) -> None:
    parser.add_argument(
        "--in-context",
        type=int,
        metavar="K",
        help="in-context learning: classify examples of the corpus by the words of their labels, behind K of them in "
        "the prompt; of a decoder that was not fine-tuned, with nothing trained",
    )
    parser.add_argument("--task", metavar="T", help="with --in-context: classify (as if left out) or pairs")
    parser.add_argument("--seed", type=int, metavar="N", help="with --in-context: which examples are shown (0)")


def in_context(asked: Namespace, folder: RunFolder, trained: Trained) -> dict[str, Any]:
    """How well a run classifies that was not fine-tuned, behind so many examples."""
    task, seed = TASKS[asked.task or "classify"], asked.seed or 0
    if not task.names or "label" not in task.holds or not 0 <= asked.in_context <= MOST_SHOTS or seed < 0:
        raise SettingsError(
            f"in-context learning is for classify and pairs, with 0 to {MOST_SHOTS} examples and a seed from 0 on",
            f"上下文学习用于 classify 和 pairs，示例数为 0 到 {MOST_SHOTS}，种子不小于 0",
        )
    run = run_on_labels(asked, folder, task.name)
    return measured_in_context(trained, parts_of(run), task, asked.in_context, seed)
