"""The glossary as a list that is searched by typing."""

from collections.abc import Iterable
from typing import Any

from lab.ui.components.drawn import Drawn, to_json


class Glossary(Drawn):
    """Value: the key of the term that is opened, as a plain string; "" for none.

    The terms themselves travel with the page's script, which marks them on every page. ``topics`` are {key: text}.
    """

    script = "glossary"
    fires = ("change",)

    def __init__(
        self, value: str = "", *, terms: Iterable[str] = (), topics: dict[str, Any] | None = None, **more: Any
    ) -> None:
        super().__init__(value, pattern="|".join(terms), topics=to_json(topics or {}), **more)
