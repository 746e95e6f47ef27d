"""The tree of model families: years from left to right, one colour for each way of reading, and who came from whom."""

from collections.abc import Sequence
from typing import Any

from lab.ui.components.drawn import Drawn, to_json


class FamilyTree(Drawn):
    """Value: the name of the chosen family, as a plain string.

    ``families`` are {"name", "title": text, "year", "parent": name or None, "way": key}; one
    with "only" is named and cannot be chosen. ``ways`` are {key: text}.
    """

    script = "family_tree"
    fires = ("change",)

    def __init__(
        self,
        value: str = "",
        *,
        families: Sequence[dict[str, Any]] = (),
        ways: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        names = "|".join(family["name"] for family in families if not family.get("only"))
        super().__init__(value, pattern=names, families=to_json(families), ways=to_json(ways or {}), **more)
