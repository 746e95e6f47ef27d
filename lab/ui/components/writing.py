"""A text that a model writes, token by token: how surprising each was, what else it might have been, and the draw."""

from collections.abc import Sequence
from typing import Any

from lab.ui.components.drawn import Drawn, to_json


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


class Candidates(Drawn):
    """Value: {"bars": [{"name": text, "token": bool, "logit": number, "steps": [number or null, ...], "value": p,
    "expected": p, "cumulative": p or null, "cut": bool, "chosen": bool, "key": text}, ...], "chain": [name, ...],
    "number": n, "known": what in_browser.known gives}.

    ``steps`` are the logits after each sampler of the ``chain``. With what is ``known`` the script works all of it out
    again as soon as a sampler is turned. ``samplers`` are those of the page's controls. Fires ``pick`` with key.
    """

    script = "candidates"
    fires = ("pick",)

    def __init__(self, value: object = None, *, samplers: Sequence[dict[str, Any]] = (), **more: Any) -> None:
        super().__init__(value, samplers=to_json(samplers), **more)


class ChainOrder(Drawn):
    """Value: the names of samplers with * between them, in the order in which they are applied; empty for that of their
    register. Shows those that are on."""

    script = "chain"
    fires = ("change",)

    def __init__(self, value: str = "", *, names: Sequence[str] = (), **more: Any) -> None:
        name = "|".join(names)
        super().__init__(value, pattern=rf"(?:(?:{name})(?:\*(?:{name}))*)?", **more)


class Draw(Drawn):
    """Value: {"segments": [[text, share], ...], "uniform": 0..1, "chosen": i, "place": n, "note": text, "number": n}.

    The tokens that may be drawn, laid end to end from the likeliest down, and where the uniform number falls.
    """

    script = "draw"


class FeedbackLine(Drawn):
    """Value: {"title": text, "mu": [bits, ...], "surprise": [bits, ...], "tau": bits}, or nothing. ``mu`` is the bound
    before each token and before the next one, ``surprise`` that of each token."""

    script = "feedback"


class Contrast(Drawn):
    """Value: {"prompt": text, "steps": [{"taken": i, "bytes": hex, "candidates": [{"text", "p", "penalty", "score",
    "like", "place"}, ...]}, ...], "rows": [[name, text, repeated, distinct], ...], "note": text, "empty": text}. A
    token that is clicked shows its candidates."""

    script = "contrast"


class Columns(Drawn):
    """Value: {"columns": [{"title": text, "note": text, "tokens": [{"text", "bytes": hex, "p"}]}],
    "uniforms": [0..1, ...], "prompt": text, "empty": text}. The same place lights up in all columns. Texts that
    were not drawn have neither ``uniforms`` nor ``prompt``."""

    script = "columns"


class Gaps(Drawn):
    """Value: {"gaps": [[[text, p], ...], ...], "even": p, "empty": text}; true behind p where a text only begins what
    is written there. Fires ``pick`` with gap and text."""

    script = "gaps"
    fires = ("pick",)
