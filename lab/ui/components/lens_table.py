"""The logit lens as a table: a row for each layer, and in each cell what the model would say there."""

from collections.abc import Callable, Sequence
from typing import Any

from lab.inference.logit_lens import Lens
from lab.ui.components.drawn import Drawn
from lab.ui.words import say

DIGITS = 4
OURS = {"original": say("components.lens.original"), "replaced": say("components.lens.replaced")}


class LensTable(Drawn):
    """Value: what ``lens_value`` gives, or {"empty": text}, which with "" is not there at all. What colours the
    cells is in the address as ``lens``."""

    script = "lens_table"


def lens_value(seen: Lens, columns: Sequence[Any] | None = None, **more: Any) -> dict[str, Any]:
    """Of R rows and C columns: {"rows": [text, ...], "columns": [text, ...], "answers": [text, ...], "likeliest": R * C
    * K numbers among these answers, "own": C of them, "probability": R * C * K numbers, "final", "rank" and "entropy":
    R * C numbers each, "most": number}. ``columns`` are the tokens that stand there, unless others are given.

    ``corner`` of ``more`` says what the columns are, where they are no tokens, and ``places`` which positions of the
    strips of the same ``group`` they are.
    """
    rows, count, several = seen.likeliest.shape
    index = {number: at for at, number in enumerate(seen.answers)}
    return {
        "rows": [_row(layer, rows) for layer in range(rows)],
        "columns": seen.tokens if columns is None else [*columns],
        "tokens": columns is None,
        "answers": [*map(_answer(seen.what), seen.answers.values())],
        "several": several,
        "own": [index[number] for number in seen.own.tolist()],
        "likeliest": [index[number] for number in seen.likeliest.flatten().tolist()],
        "probability": _shares(seen.probability.flatten().tolist()),
        "final": _shares(seen.final.flatten().tolist()),
        "rank": seen.rank.flatten().tolist(),
        "entropy": _rounded(seen.entropy.flatten().tolist()),
        "most": round(seen.most, DIGITS),
        **more,
    }


def _row(layer: int, rows: int) -> dict[str, Any]:
    if layer == 0:
        return say("components.lens.embedding")
    return say("components.lens.last" if layer == rows - 1 else "components.lens.layer", n=layer)


def _answer(what: str) -> Callable[[str], Any]:
    """How an answer is written: tokens and classes as they are, "original" and "replaced" in the reader's language."""
    return OURS.__getitem__ if what == "replaced" else str


def _shares(probabilities: Sequence[float]) -> list[float]:
    """Rounded; what is small and not 0 does not become 0, which would be said of it."""
    return [max(round(each, DIGITS), 10.0**-DIGITS) if each else 0.0 for each in probabilities]


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(number, DIGITS) for number in numbers]
