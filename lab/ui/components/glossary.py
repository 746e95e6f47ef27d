"""The glossary as a list that is searched by typing."""

from collections.abc import Iterable
from typing import Any

from lab.ui.components.drawn import Drawn, to_json


class Glossary(Drawn):
    """Value: the key of the term that is opened, as a plain string; "" for none. An address may spell it with hyphens
    or spaces.

    The terms themselves travel with the page's script, which marks them on every page. ``topics`` are {key: text}.
    """

    script = "glossary"
    fires = ("change",)

    def __init__(
        self, value: str = "", *, terms: Iterable[str] = (), topics: dict[str, Any] | None = None, **more: Any
    ) -> None:
        spelt = "|".join(terms).replace("_", "[-_ ]")
        super().__init__(value, pattern=spelt, topics=to_json(topics or {}), **more)

    def preprocess(self, payload: Any) -> Any:
        """The key of the term that an address or a click asks for; "" for none."""
        key = super().preprocess(payload).replace("-", "_").replace(" ", "_")
        return str(key)
