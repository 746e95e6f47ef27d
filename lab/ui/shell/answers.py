"""Answers by name: what a handler says of each component of the page; what it does not name stays as it is."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.settings import SettingsError

Values = dict[str, Any]  # a handler's answer, by the names under which ``frame.listen`` was given the components
NOTE = "note for the visitor"  # under this name a SettingsError that is shown for a while beside an answer that stands


def in_order(answer: Values, names: Sequence[str]) -> tuple[list[Any], SettingsError | None]:
    """The answer as Gradio wants it, one value for each name, and the note that goes with it."""
    note = answer.get(NOTE)
    unknown = answer.keys() - {*names, NOTE}
    assert not unknown, unknown
    return [answer.get(name, gr.skip()) for name in names], note
