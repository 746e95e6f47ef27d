"""Rows of tokens as chips: what a tokenizer cut, what an objective shows, asks and expects."""

from collections.abc import Iterable, Sequence
from typing import Any

from lab.spelling import broken, spelling, spellings
from lab.tokenizer import Piece
from lab.ui.components.drawn import Drawn
from lab.vocabulary import UNKNOWN


class TokenStrip(Drawn):
    """Value: {"rows": [{"label": text, "tokens": [token or null, ...], "more": n, "from": n}], "above": [rows],
    "group": name, "aligned": bool, "note": text or texts, "empty": text}.

    Rows of equal length are aligned position by position unless ``aligned`` is false; those ``above`` never are.
    ``more`` counts the tokens of a row that are left out, and ``from`` is the position of its first. Strips and tables
    of one ``group`` light up together. Fires ``pick`` with row, at and id.
    """

    script = "token_strip"
    fires = ("pick",)


def token(
    piece: Piece, kind: str = "", top: Iterable[tuple[str, float]] = (), note: Any = None, text: str | None = None
) -> dict[str, Any]:
    """A chip of a ``kind``: original, masked, replaced, kept, asked, predicted, wrong, written, quiet. ``text`` is how
    the token is spelt among its neighbours, if it has any."""
    chip = {
        "text": spelling(piece) if text is None else text,
        "id": piece.id,
        "bytes": piece.bytes.hex(),
        "kind": kind or of_itself(piece),
    }
    if guesses := [[text, round(share, 4)] for text, share in top]:
        chip["top"] = guesses
    return chip if note is None else {**chip, "note": note}


def phrase(text: str, kind: str, top: Iterable[tuple[str, float, bool]] = ()) -> dict[str, Any]:
    """A chip of some tokens together, which has no id. Each of the ``top`` is a text, its share, and whether it is only
    the beginning of one."""
    guesses = [[text, round(share, 4), *[True] * begins] for text, share, begins in top]
    return {"text": text, "kind": kind, **({"top": guesses} if guesses else {})}


def of_itself(piece: Piece) -> str:
    """The kind of a token that nothing was done to."""
    if piece.text == UNKNOWN and piece.special:
        return "unknown"
    return "special" if piece.special else "part" if broken(piece) else "original"


def row(label: Any, pieces: Sequence[Piece], kinds: Sequence[str] | None = None) -> dict[str, Any]:
    """One row of chips; ``kinds`` gives each its kind, "" for a token's own."""
    kinds = kinds or [""] * len(pieces)
    chips = zip(pieces, kinds, spellings(pieces), strict=True)
    return {"label": label, "tokens": [token(piece, kind, text=text) for piece, kind, text in chips]}
