"""``app``: the same as ``python app.py``."""

import importlib
from argparse import Namespace
from collections.abc import Sequence

from lab.cli.answer import Answer
from lab.cli.flags import Parser


def app_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.epilog = "GRADIO_SERVER_NAME and GRADIO_SERVER_PORT say where it listens."


def app(asked: Namespace) -> Answer:
    """Serve the pages until interrupted. They are named as strings: no other command loads a page."""
    importlib.import_module("lab.ui.quiet")  # first: gradio reads the environment when it is imported
    importlib.import_module("lab.ui.app").launch()
    return Answer({}, "")
