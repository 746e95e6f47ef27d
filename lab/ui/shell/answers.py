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


def apart(*groups: dict[str, Any]) -> dict[str, Any]:
    """The components of several parts of a page, by name. Two of one name are a fault of ours: what is answered to the
    one would be shown by the other."""
    names = [name for group in groups for name in group]
    assert len(names) == len({*names}), sorted(name for name in names if names.count(name) > 1)
    return {name: component for group in groups for name, component in group.items()}
