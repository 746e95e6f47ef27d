"""A component of our own: its value is one JSON string, which a script of ours draws.

Nothing of the value ever passes through Gradio's templates, which would run what they find in it.
"""

import json
import re
from abc import ABCMeta
from typing import Any

import gradio as gr
from gradio.component_meta import ComponentMeta, updateable


class Unwritten(ComponentMeta):
    """Gradio's metaclass writes a .pyi file beside each component's source. This one does not."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if "__init__" in body:
            body["__init__"] = updateable(body["__init__"])
        return ABCMeta.__new__(cls, name, bases, body)


class Drawn(gr.HTML, metaclass=Unwritten):
    """Base of the lab's components. A subclass names its script and the events that the script fires.

    ``pattern`` says what a value that is plain text may be: an address that asks for another is told so, and of what a
    browser sends otherwise handlers receive nothing.
    """

    script = ""
    fires: tuple[str, ...] = ()

    def __init__(self, value: Any = None, *, pattern: str = "", **options: Any) -> None:
        self._pattern = re.compile(pattern) if pattern else None
        options |= {"pattern": pattern} if pattern else {}
        options.setdefault("elem_classes", ["lab", "lab-" + self.script])
        super().__init__(value, html_template="", apply_default_css=False, padding=False, **options)
        # Gradio finds an event's name where it stands between quotes in the script.
        kind, events = self.script, list(self.fires)
        self.js_on_load = f"window.lab.mount('{kind}', {self._id}, element, props, watch, trigger, {events})"

    def preprocess(self, payload: Any) -> Any:
        """What the browser sent, as far as it is what may stand here."""
        if self._pattern is None:
            return payload
        return payload if isinstance(payload, str) and self._pattern.fullmatch(payload) else ""

    def postprocess(self, value: Any) -> str | None:
        """The value as one JSON string; a string is taken to be one already."""
        return value if value is None or isinstance(value, str) else to_json(value)


def to_json(value: Any) -> str:
    """Compact JSON without NaN, which browsers refuse to read."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
