"""A command's answer: a JSON document for scripts, and the same in a few lines for a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """``document`` is printed with --json, ``text`` without it."""

    document: dict[str, Any]
    text: str
    code: int = 0


def table(rows: list[list[str]]) -> str:
    """Rows as aligned columns; the last column is left ragged."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))] if rows else []
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def many(n: int, noun: str) -> str:
    """So many things: 1 step, 1,000 steps."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def figure(value: float) -> str:
    """A number in a table: all digits of a whole one, six of another."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def figures(measured: Mapping[str, Any]) -> dict[str, float]:
    """What was measured and fits in a line: the numbers, without the tables among them."""
    return {name.replace("_", " "): value for name, value in measured.items() if isinstance(value, (int, float))}
