"""The model that a command asks: the flags that name it, and how it is loaded."""

from argparse import Namespace

from lab.cli.flags import Parser
from lab.cli.run_named import run_named
from lab.inference.model import Trained, load


def run_flag(parser: Parser) -> None:
    parser.add_argument("--run", required=True, metavar="RUN", help="a run's folder, or its name among the runs")


def model_flags(parser: Parser) -> None:
    run_flag(parser)
    parser.add_argument(
        "--at-step", type=int, metavar="N", help="the model as it was at a step of which a snapshot was kept"
    )


def model_of(asked: Namespace) -> Trained:
    """The model of the run, as it is or as it was at the step."""
    return load(run_named(asked.run), asked.at_step)
