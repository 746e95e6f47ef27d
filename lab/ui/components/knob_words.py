"""What settings and their choices are called on the pages, in both languages."""

from dataclasses import Field
from typing import Any

from lab.ui.words import WORDS, pair


def choice_title(knob: str, value: Any) -> dict[str, str]:
    """What a choice of a setting is called; itself where it has no title. What travels is the value."""
    return WORDS.get(f"choice.{knob}.{value}") or pair(str(value), str(value))


def short_name(item: Field[Any]) -> dict[str, str]:
    """What a setting is called, without what is said of an empty field or of its choices."""
    return pair(*item.metadata["knob"].short)
