"""What a browser sends, before it is believed: any value may arrive at any handler."""

from typing import Any

from lab.serve.limits import limits
from lab.text import clean


def head(text: Any) -> str:
    """As much of a text as is answered at once."""
    return clean(str(text or "")[: limits().prompt])


def seed_of(value: Any) -> int:
    """A seed; 0 for what is none."""
    return int(value) % 2**31 if isinstance(value, int | float) and abs(value) < 2**53 else 0
