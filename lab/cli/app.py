"""``app``: the same as ``python app.py``."""

from argparse import Namespace
from collections.abc import Sequence

from lab.cli.answer import Answer
from lab.cli.flags import Parser
from lab.cli.interrupting import begun, while_loading
from lab.cli.port import check_port


def app_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.epilog = "GRADIO_SERVER_NAME and GRADIO_SERVER_PORT say where it listens."


def app(asked: Namespace) -> Answer:
    """Serve the pages until interrupted."""
    check_port()
    while_loading()
    import lab.ui.shell.quiet  # noqa: F401, PLC0415  first: gradio reads the environment when it is imported
    from lab.ui.app import launch  # noqa: PLC0415  no other command loads a page

    begun()
    launch()
    return Answer({}, "")
