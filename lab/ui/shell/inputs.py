"""Checked inputs: what a browser sends, before it is believed. Any value may arrive at any handler."""

from typing import Any

from lab.serve.limits import limits
from lab.text import clean


def head(text: Any) -> str:
    """As much of a text as is answered at once."""
    return clean(str(text or "")[: limits().prompt])


def seed_of(value: Any) -> int:
    """A seed; 0 for what is none."""
    return int(value) % 2**31 if isinstance(value, int | float) and abs(value) < 2**53 else 0


def tail(text: str, most: int) -> str:
    """The end of a text, as much of it as is shown again."""
    return text if len(text) <= most else "…" + text[-most:]
