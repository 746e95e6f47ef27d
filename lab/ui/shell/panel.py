"""The controls of a page that decide a run, read by name, and the handlers that heed its address."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from lab.ui.components.knobs import Knobs
from lab.ui.shell.answers import Values
from lab.ui.shell.forms import Form
from lab.ui.shell.frame import Frame


@dataclass
class Panel:
    """``plain`` controls by name, ``forms`` by the part of the run that they set. The values of a Knobs count if they
    are those of what was chosen."""

    plain: dict[str, Any]
    forms: dict[str, Form]

    @property
    def components(self) -> list[Any]:
        """All controls, in the order in which ``read`` takes their values."""
        return [*self.plain.values(), *[control for form in self.forms.values() for control in form.components]]

    def share(self, frame: Frame, names: Iterable[str]) -> None:
        """Make controls and forms part of the page's address; a form's by the names of its knobs."""
        for name in names:
            if name in self.plain:
                frame.share(name, self.plain[name])
            else:
                for knob, control in self.forms[name].controls.items():
                    frame.share(f"{name}.{knob}", control)

    def read(self, values: Sequence[Any]) -> Values:
        """The values by name."""
        asked: Values = dict(zip(self.plain, values, strict=False))
        chosen = {value for value in asked.values() if isinstance(value, str)}
        for name, control in self.plain.items():
            if isinstance(control, Knobs):
                asked[name] = asked[name]["values"] if asked[name]["of"] in chosen else {}
        rest = iter(values[len(self.plain) :])
        for name, form in self.forms.items():
            asked[name] = {knob: next(rest) for knob in form.controls}
        return asked


def any_of(events: Sequence[Any]) -> Callable[..., Any]:
    """Several events as one, for ``frame.listen``. Of those that come while the handler runs, the last one counts."""

    def listen(handler: Any, inputs: Any, outputs: Any, **options: Any) -> Any:
        return gr.on(list(events), handler, inputs, outputs, **{"trigger_mode": "always_last", **options})

    return listen


def spoken(key: str) -> Callable[[str, str], Values]:
    """A handler for (language, query) that chooses the text in the visitor's language under ``key``, unless the
    address has chosen one."""

    def choose(language: str, query: str) -> Values:
        return {key: "town_zh"} if language == "zh" and key not in named_in(query) else {}

    return choose


def named_in(query: Any) -> dict[str, Any]:
    """What an address names, by its query string as the page sends it: JSON, or nothing."""
    try:
        found = json.loads(query or "{}")
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
