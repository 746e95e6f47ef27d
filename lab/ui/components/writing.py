"""A text that a model writes, token by token: how surprising each was, what else it might have been, and the draw."""

from lab.ui.components.drawn import Drawn


class Writing(Drawn):
    """Value: {"number": n, "from": n, "prompt": text, "tokens": [{"id", "text", "bytes": hex, "p", "uniform",
    "picked": bool, "top": [[id, text, p], ...]}], "ended": bool, "limit": n, "even": nats}.

    ``tokens`` take the place of those from number ``from`` on. The script keeps the whole text; window.lab.writing
    makes the requests that a handler is given: JSON with ``ids``, ``have`` (tokens that it knows already), ``count``
    (tokens wanted), ``doubt`` (stop where the next one is in doubt) and ``number``. Fires ``step`` for more tokens and
    ``reroll`` for another seed.
    """

    script = "writing"
    fires = ("step", "reroll")


class Draw(Drawn):
    """Value: {"segments": [[text, share], ...], "uniform": 0..1, "chosen": i, "place": n, "note": text}.

    The tokens that may be drawn, laid end to end from the likeliest down, and where the uniform number falls.
    """

    script = "draw"


class Columns(Drawn):
    """Value: {"columns": [{"title": text, "note": text, "tokens": [{"text", "bytes": hex, "p"}]}],
    "uniforms": [0..1, ...], "prompt": text, "empty": text}. The same place lights up in all columns. Texts that
    were not drawn have neither ``uniforms`` nor ``prompt``."""

    script = "columns"


class Gaps(Drawn):
    """Value: {"gaps": [[[text, p], ...], ...], "even": p, "empty": text}. Fires ``pick`` with gap and text."""

    script = "gaps"
    fires = ("pick",)
