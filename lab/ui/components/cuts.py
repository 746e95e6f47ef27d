"""Tokenizations side by side: the text above, a row of tokens for each, and what decoding gives back."""

from typing import Any

from lab.ui.components.drawn import Drawn


class Cuts(Drawn):
    """Value: {"text": str, "rows": [{"name", "title": text, "about": text, "n": int, "tokens": [[shown, id, hex, first,
    last, kind], ...], "more": int, "measures": [{"name", "value", "note"}], "lengths": [count of tokens with 1, 2, ...
    characters], "back": [[text, mark], ...], "said": text}], "note": text}.

    ``first`` and ``last`` are the characters of the text that a token covers, in code points; ``kind`` is "", "unknown"
    or "part" for bytes that are only part of a character. Rows are chosen in the browser, ``start`` are those shown
    at first; the address has them under ``kinds``. ``save`` is fired with the ``name`` of a row to be downloaded.
    """

    script = "cuts"
    fires = ("save",)

    def __init__(self, value: object = None, *, start: str = "", **more: Any) -> None:
        super().__init__(value, start=start, **more)
