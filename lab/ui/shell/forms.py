"""A settings class as a form: one knob is one control, and the controls' values are settings again."""

import typing
from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, field
from typing import Any

import gradio as gr

from lab.settings import Knob, Settings
from lab.ui.components.drawn import Unwritten
from lab.ui.components.knob_words import choice_title
from lab.ui.components.slider import slides
from lab.ui.words import both, in_language, language_now, say


class Slider(gr.Slider, metaclass=Unwritten):
    """A slider that hands on whatever was typed beside it: the settings say in words what is wrong with it."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        """The number as it came."""
        return payload


class Number(gr.Number, metaclass=Unwritten):
    """A field for a number that hands on whatever was typed, half a number among it."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        """The number as it came."""
        return payload


class Blank(gr.Textbox, metaclass=Unwritten):
    """A field for a number that may be left out: gr.Number would show an empty one as 0."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        """The number, nothing where the field is empty, or the text that is no number."""
        text = str(payload if payload is not None else "").strip()
        try:
            return float(text) if text else None
        except ValueError:
            return text[:100]

    def postprocess(self, value: Any) -> str | None:
        """The number as text."""
        return None if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Form:
    """The controls of a settings class, in the order of its knobs."""

    cls: type[Settings]
    controls: dict[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def components(self) -> list[Any]:
        """The controls, to be listed among a handler's inputs."""
        return list(self.controls.values())

    def settings(self, *values: Any) -> Any:
        """The settings that the controls' values stand for; raises SettingsError."""
        return self.cls.load({**self.fixed, **dict(zip(self.controls, values, strict=True))})


def form(cls: type[Settings], only: Collection[str] | None = None, defaults: Mapping[str, Any] | None = None) -> Form:
    """Controls for the knobs of ``cls``, or for ``only`` some; ``defaults`` are other starting values."""
    starts = dict(defaults or {})
    kinds = typing.get_type_hints(cls)
    shown = {name: item for name, item in cls.knobs().items() if only is None or name in only}
    controls = {name: control(item, kinds[name], starts.get(name, item.default)) for name, item in shown.items()}
    return Form(cls, controls, {name: value for name, value in starts.items() if name not in controls})


def kept_label(name: str = "") -> Any:
    """What a box for a file says that is empty after a reload, while what lay in it, by its ``name`` if that is known,
    is used."""
    said = say("frame.kept", name=name) if name else say("frame.kept.text")
    return gr.update(label=in_language(said, language_now()))


def control(item: Field[Any], kind: Any, start: Any) -> Any:
    """The one control that suits a knob."""
    knob: Knob = item.metadata["knob"]
    label = both(knob.en, knob.zh)
    if knob.choices is not None:
        choices: list[Any] = [(both(**choice_title(item.name, choice)), choice) for choice in knob.choices]
        return gr.Dropdown(choices, value=start, label=label)
    if kind is bool:
        return gr.Checkbox(value=start, label=label)
    if kind is str:
        return gr.Textbox(value=start, label=label, lines=1, max_lines=1)
    if type(None) in typing.get_args(kind):
        return Blank(value=start, label=label, lines=1, max_lines=1)
    if slides(knob, start):
        step = knob.step or (1 if kind is int else float(f"{(knob.high - knob.low) / 100:.0e}"))  # type: ignore[operator]
        return Slider(minimum=knob.low, maximum=knob.high, step=step, value=start, label=label)
    return Number(value=start, label=label)
