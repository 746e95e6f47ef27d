"""What settings and their choices are called on the pages, in both languages."""

from collections.abc import Mapping
from dataclasses import Field
from typing import Any

from lab.settings import Settings
from lab.ui.words import WORDS, pair


def choice_title(knob: str, value: Any) -> dict[str, str]:
    """What a choice of a setting is called; itself where it has no title. What travels is the value."""
    return WORDS.get(f"choice.{knob}.{value}") or pair(str(value), str(value))


def assigned(settings: type[Settings], values: Mapping[str, float]) -> list[dict[str, str]]:
    """Each setting with its value, by the symbol with which its name begins or else by its name: “τ = 3”."""
    named = ((settings.knobs()[name].metadata["knob"], value) for name, value in values.items())
    return [
        pair(f"{knob.en.partition(':')[0].lower()} = {value:g}", f"{knob.zh.partition('：')[0]} = {value:g}")
        for knob, value in named
    ]


def short_name(item: Field[Any]) -> dict[str, str]:
    """What a setting is called, without what is said of an empty field or of its choices."""
    return pair(*item.metadata["knob"].short)
