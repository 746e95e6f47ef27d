"""Where the app listens, read before gradio does, which answers a wrong number with a traceback."""

import os

from lab.settings import SettingsError

PORT = "GRADIO_SERVER_PORT"
HIGHEST = 65_535


def check_port() -> None:
    """Raises SettingsError where the environment names a port that cannot be."""
    said = os.environ.get(PORT, "")
    if said and not (said.isascii() and said.isdigit() and 1 <= int(said) <= HIGHEST):
        raise SettingsError(
            f"{PORT} must be a whole number from 1 to {HIGHEST}, not {said!r}",
            f"{PORT} 必须是 1 到 {HIGHEST} 之间的整数，不能是 {said!r}",
        )
