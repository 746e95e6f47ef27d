"""Citations that lead to the paper."""

import json
from functools import cache
from typing import Any

from lab.ui.words import ASSETS


def cited(citation: str) -> list[list[str]]:
    """A citation such as "Lan et al. 2019, section 3; Devlin et al. 2018" as pieces [text, address], the address empty
    where a piece names no paper."""
    pieces: list[list[str]] = []
    for number, part in enumerate(citation.split("; ")):
        paper, comma, where = part.partition(", ")
        pieces.append(["; " if number else "", ""])
        pieces.append([paper, addresses()[paper]])
        pieces.append([comma + where, ""])
    return [piece for piece in pieces if piece[0]]


@cache
def addresses() -> dict[str, str]:
    """Where each paper lies that an entry cites."""
    papers: dict[str, Any] = json.loads((ASSETS / "papers.json").read_text(encoding="utf-8"))
    return papers
