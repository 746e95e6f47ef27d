"""Folds that are worked out only while they are open: nobody waits for what nobody sees."""

from collections.abc import Callable, Sequence
from typing import Any

from lab.ui.components.memo import Memo


def due(fold: Any, events: Sequence[Callable[..., Any]]) -> Memo:
    """A memo that changes when the fold is opened, and with each of the ``events`` while it is open: its ``change`` is
    to be listened to. Of what happens to a closed fold the server is not told."""
    opened, asked = Memo("", pattern="1?"), Memo("", pattern=r"[\d.]{0,40}")
    now = "String(performance.now())"
    fold.expand(None, None, [opened, asked], js=f"() => ['1', {now}]", api_visibility="private")
    fold.collapse(None, None, [opened], js="() => ''", api_visibility="private")
    for event in events:
        script = f"(opened, asked) => (opened ? {now} : asked)"
        event(None, [opened, asked], [asked], js=script, api_visibility="private")
    return asked
