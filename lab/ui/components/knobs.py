"""Settings of whatever is chosen elsewhere: one component for all models, since a form each weighs the page down."""

import json
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from lab.registry import Entry
from lab.settings import EARLIER
from lab.ui.components.drawn import Drawn, to_json
from lab.ui.components.knob_words import choice_title
from lab.ui.components.slider import slides
from lab.ui.words import pair, titled


class Knobs(Drawn):
    """Value: {"of": an entry's name, "values": {knob: value}}; a knob without a value stands at its default.

    Nothing is drawn for an entry that has no knobs. Handlers receive the value as a dictionary, whatever a visitor
    sent; the settings say in words what is wrong with it.
    """

    script = "knobs"
    fires = ("change",)

    def __init__(self, value: Any = None, *, entries: Iterable[Entry] = (), **more: Any) -> None:
        super().__init__(value, schemas=to_json({entry.name: schema(entry) for entry in entries}), **more)

    def preprocess(self, payload: Any) -> dict[str, Any]:
        """The value, or one without values where a visitor sent something else."""
        try:
            given = json.loads(payload or "{}")
        except (TypeError, ValueError):
            given = None
        values = given.get("values") if isinstance(given, dict) else None
        return knobs_value(str(given["of"]), values) if isinstance(values, dict) and "of" in given else knobs_value("")


def knobs_value(of: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A value for Knobs."""
    return {"of": of, "values": dict(values or {})}


def schema(entry: Entry) -> dict[str, Any]:
    """What the script must know of an entry's knobs."""
    kinds = typing.get_type_hints(entry.settings)
    knobs = []
    for name, item in entry.settings.knobs().items():
        knob, kind = item.metadata["knob"], kinds[name]
        shown: dict[str, Any] = {"name": name, "title": pair(knob.en, knob.zh), "start": item.default}
        shown |= {"was": was} if (was := [old for old, today in EARLIER.items() if name in today]) else {}
        if knob.choices is not None:
            titles = [choice_title(name, choice) for choice in knob.choices]
            shown |= {"kind": "choice", "choices": list(knob.choices), "titles": titles}
        elif kind is bool:
            shown |= {"kind": "switch"}
        elif kind is str:
            shown |= {"kind": "text"}
        else:
            step = knob.step or (1 if kind is int or kind == int | None else "any")
            shown |= {"kind": "number", "low": knob.low, "high": knob.high, "step": step}
            shown |= {"slides": slides(knob, item.default)}
        knobs.append(shown)
    return {"title": titled(entry), "knobs": knobs}
