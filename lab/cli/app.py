"""``app``: the same as ``python app.py``."""

import json
from argparse import Namespace
from collections.abc import Sequence

from lab.cli.answer import Answer
from lab.cli.flags import Parser
from lab.cli.interrupting import begun, while_loading
from lab.cli.listening import check_listening


def app_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.epilog = "GRADIO_SERVER_NAME and GRADIO_SERVER_PORT say where it listens."


def app(asked: Namespace) -> Answer:
    """Serve the pages until interrupted."""
    check_listening()
    while_loading()
    import lab.ui.shell.quiet  # noqa: F401, PLC0415  first: gradio reads the environment when it is imported
    from lab.ui.app import launch  # noqa: PLC0415  no other command loads a page

    begun()
    as_json = "json" in asked
    launch(lambda url: print(json.dumps({"url": url}) if as_json else f"Cloze Lab: {url}", flush=True))
    return Answer({}, "")
