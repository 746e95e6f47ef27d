"""Claims as cards: a sentence, what one expects of it, and what was measured."""

from collections.abc import Iterable, Sequence
from typing import Any

from lab.ui.components.drawn import Drawn, to_json


class Claims(Drawn):
    """Value: the name of the claim that was answered last, as a plain string; "" for none.

    The claims travel with the page: [{"name": text, "title": text, "sentence": text, "paper": pieces of a citation,
    "arms": [{"title": text, "values": [numbers], "median": text}, ...], "says": "holds", "unclear" or "contradicted",
    "seeds": number, "difference": text, "facts": text, "found": text, "trains": bool}, ...]; of one that has not been
    measured, what comes before its arms. ``train`` asks for the two runs of a claim that ``trains`` some.
    """

    script = "claims"
    fires = ("change", "train")

    def __init__(self, value: str = "", *, claims: Sequence[Any] = (), names: Iterable[str] = (), **more: Any) -> None:
        super().__init__(value, pattern="|".join(names), claims=to_json(claims), **more)
