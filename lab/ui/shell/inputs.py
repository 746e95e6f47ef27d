"""Checked inputs: what a browser sends, before it is believed. Any value may arrive at any handler."""

from typing import Any

import gradio as gr

from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.text import clean

LAST_SEED = 2**31 - 1


def prompt_field(*value: Any, **options: Any) -> gr.Textbox:
    """A field whose text is answered at once: it takes no more than is read."""
    return gr.Textbox(*value, max_length=limits().prompt, **options)


def told(event: Any, name: str, default: Any = None) -> Any:
    """What an event says under a name; the default where it says nothing of the kind."""
    try:
        return getattr(event, name, default)
    except TypeError:  # Gradio looks for names in whatever was sent
        return default


def head(text: Any) -> str:
    """As much of a text as is answered at once."""
    return clean(str(text or "")[: limits().prompt])


def seed_of(value: Any) -> int:
    """A seed that a component's script sends; 0 for what is none."""
    return int(value) % (LAST_SEED + 1) if isinstance(value, int | float) and abs(value) < 2**53 else 0


def whole_seed(value: Any) -> int:
    """A seed that somebody typed; 0 where the field is empty. Raises SettingsError for any that another one would stand
    in for."""
    if value is None or (isinstance(value, int | float) and value == seed_of(value)):
        return seed_of(value)
    raise SettingsError(
        f"the seed must be a whole number from 0 to {LAST_SEED:,}", f"随机种子必须是 0 到 {LAST_SEED:,} 之间的整数"
    )


def tail(text: str, most: int) -> str:
    """The end of a text, as much of it as is shown again."""
    return text if len(text) <= most else "…" + text[-most:]
