"""Claims as cards: a sentence, what one expects of it, and what was measured."""

from collections.abc import Iterable, Sequence
from typing import Any

from lab.ui.components.drawn import Drawn, to_json


class Claims(Drawn):
    """Value: the name of the claim that was answered last, as a plain string; "" for none.

    The claims travel with the page: [{"name": text, "title": text, "sentence": text, "paper": pieces of a citation,
    "found": text, "trains": bool, "measured": [{"language": of the text, "arms": [{"title": text, "values": [numbers],
    "median": text}, ...], "says": "holds", "unclear" or "contradicted", "seeds": number, "difference": text,
    "elsewhere": text, "facts": text}, ...]}, ...]. What was measured on a text in the language of the page is shown,
    the rest told in a line. ``train`` asks for the two runs of a claim that ``trains`` some.
    """

    script = "claims"
    fires = ("change", "train")

    def __init__(self, value: str = "", *, claims: Sequence[Any] = (), names: Iterable[str] = (), **more: Any) -> None:
        super().__init__(value, pattern="|".join(names), claims=to_json(claims), **more)
