"""The kinds of attention that a recipe may take: to all tokens, to sums of all tokens, or to those in a window."""

from typing import Any

from lab.layers.attention import Attention
from lab.layers.linear import LinearAttention
from lab.layers.window import WindowAttention

KINDS = ("full", "linear", "window")


def attention_of(kind: str, width: int, heads: int, *, window: int, **more: Any) -> Attention:
    """Attention of a ``kind``, whose ``window`` counts only if it has one; they have the same parameters."""
    if kind == "window":
        return WindowAttention(width, heads, window=window, **more)
    return (LinearAttention if kind == "linear" else Attention)(width, heads, **more)
