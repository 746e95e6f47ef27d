"""The board: one text, and what every objective makes of it, each a row.

T tokens of the text   N tokens of a row
"""

import base64
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.analysis.preview import Corrupted, corrupt, encoded
from lab.catalog import learners
from lab.entries import ObjectiveEntry
from lab.spelling import spellings
from lab.ui.components.token_strip import of_itself
from lab.ui.exercise.draw import Line, in_order, part_lines, shown_line, source_line, target_line
from lab.ui.exercise.shipped import tokenizer
from lab.ui.exercise.sight import sees
from lab.ui.words import pair, say, titled

DRAWN = 64  # tokens of a strip that are drawn
CELLS = 32  # rows and columns of the small drawing of who looks at whom
AHEAD = 6  # tokens that are compared to tell two places apart
KINDS = {
    "": "o",
    "original": "o",
    "masked": "m",
    "replaced": "r",
    "kept": "k",
    "special": "s",
    "unknown": "u",
    "part": "p",
    "asked": "a",
}
NEEDS = {
    "writes": {"writes"},
    "static": {"windows", "cooccurrences"},
    "orders": {"streams", "positions"},
    "onward": {"directions"},
}
GROUPS = ("masked", "onward", "orders", "writes", "pairs", "static")

Ids = NDArray[np.int64]


class Texts:
    """The texts of tokens, each sent once and then meant by its number."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number of a text."""
        return self.known.setdefault(text, len(self.known))


def board(text: str, seed: int, longest: int, leave_out: Sequence[str] = ()) -> dict[str, Any]:
    """What all objectives make of the text, cut to ``longest`` tokens, as the component draws it."""
    if not text.strip():
        return {"texts": [], "groups": [], "empty": say("board.empty")}
    texts, rows = Texts(), defaultdict(list)
    for objective in in_order():
        if objective.name not in leave_out:
            rows[group_of(objective)].append(row(text, objective, seed, longest, texts))
    groups = [{"title": say(f"board.group.{name}"), "rows": rows[name]} for name in GROUPS if name in rows]
    return {"texts": [*texts.known], "groups": groups}


def group_of(objective: ObjectiveEntry) -> str:
    """Which of the GROUPS an objective belongs to: by what it needs of a model."""
    if objective.stage == "pair":
        return "pairs"
    for group, traits in NEEDS.items():
        if objective.traits & traits:
            return group
    return "onward" if objective.left_to_right else "masked"


def row(text: str, objective: ObjectiveEntry, seed: int, longest: int, texts: Texts) -> dict[str, Any]:
    """One objective's row."""
    reader = tokenizer(objective)
    corrupted = corrupt(text, objective, reader, seed=seed, longest=longest)
    base = encoded(reader, text)[: longest - 2]
    facts: dict[str, Any] = {
        "name": objective.name,
        "title": titled(objective),
        "models": [pair(*titles) for titles in learners(objective)],
        "mask": small(sees(corrupted)),
    }
    if corrupted.pair is not None:
        answer = pair(*objective.answers[corrupted.pair])
        return {**facts, "strips": parts(corrupted, base, texts), "note": say("board.answer", answer=answer)}
    return {**facts, "strips": strips(corrupted, base, texts)}


def strips(corrupted: Corrupted, base: Ids, texts: Texts) -> list[dict[str, Any]]:
    """What is shown, with what is asked below each token; or what an encoder reads, and what a decoder is to write."""
    if corrupted.exercise.source is None:
        ordered = {"ordered": True} if corrupted.exercise.order is not None else {}
        return [strip(shown_line(corrupted), base, texts) | ordered]
    return [
        strip(source_line(corrupted), base, texts) | {"label": say("board.source")},
        strip(target_line(corrupted), base, texts) | {"label": say("board.target")},
    ]


def parts(corrupted: Corrupted, base: Ids, texts: Texts) -> list[dict[str, Any]]:
    """The two parts of a pair, each a strip."""
    return [
        strip(part, base, texts) | {"label": say(f"board.part{number}")}
        for number, part in enumerate(part_lines(corrupted), start=1)
    ]


def strip(line: Line, base: Ids, texts: Texts) -> dict[str, Any]:
    """A row of chips: the number of each one's text, its kind as a letter, the place in the text (``base``) that it
    comes from (-1 for none), and the number of what stands below it (-1 for nothing)."""
    drawn = line.pieces[:DRAWN]
    made = {
        "text": [*map(texts.number, spellings(drawn))],
        "kind": "".join(KINDS[kind or of_itself(piece)] for piece, kind in zip(drawn, line.kinds, strict=False)),
        "from": origins(base, line.ids[:DRAWN]),
        "more": len(line.pieces) - len(drawn),
    }
    below = [texts.number(text) if text else -1 for text in line.below[:DRAWN]]
    return made | {"below": below} if any(number >= 0 for number in below) else made


def origins(base: Ids, ids: Ids) -> list[int]:
    """For each of ``ids`` (N,) the place in ``base`` (T,) that it comes from, -1 where it comes from none. A token goes
    on from the one before it where it can; else it takes the free place whose next tokens are most like its own."""
    text, row = base.tolist(), ids.tolist()
    places = defaultdict(list)
    for place, number in enumerate(text):
        places[number].append(place)
    taken, found, next_one = set(), [], -1
    for at, number in enumerate(row):
        free = [place for place in places.get(number, ()) if place not in taken]
        if not free:
            found.append(-1)
            continue
        best = (
            next_one
            if next_one in free
            else max(free, key=lambda place: (_alike(text, place, row, at), place >= next_one, -place))
        )
        taken.add(best)
        found.append(best)
        next_one = best + 1
    return found


def _alike(text: list[int], place: int, row: list[int], at: int) -> int:
    """How many tokens in a row are the same from ``place`` and from ``at`` on."""
    n = 0
    while n < AHEAD and place + n < len(text) and at + n < len(row) and text[place + n] == row[at + n]:
        n += 1
    return n


def small(table: NDArray[np.bool_]) -> dict[str, Any]:
    """A table (T, T) as a drawing of at most CELLS by CELLS cells, eight of them in a byte."""
    n = min(len(table), CELLS)
    places = np.linspace(0, len(table) - 1, n).round().astype(int)
    return {"n": n, "bits": base64.b64encode(np.packbits(table[np.ix_(places, places)]).tobytes()).decode()}
