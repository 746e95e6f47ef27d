"""The command of the terminal that writes the same as the Generate page."""

import shlex

from lab.ui.shell import visitor

LONGEST = 2000  # characters of a text that anybody would want to copy into a terminal


def generate_command(run: str, text: str, flags: str) -> str:
    """The run, the prompt and how it is gone on with; nothing where the text is too long."""
    if len(text) > LONGEST:
        return ""
    prompt = f"--prompt {shlex.quote(text)} " if text else ""
    return f"python -m lab generate {visitor.flags_of(run)} {prompt}{flags}"
