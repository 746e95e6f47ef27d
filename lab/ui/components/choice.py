"""One of several, or some of them: cards side by side, of which those that do not fit say why."""

from collections.abc import Sequence
from typing import Any

from lab.ui.components.drawn import Drawn, to_json


class Choice(Drawn):
    """Value: the name of the chosen option, as a plain string.

    ``options`` are {"name", "title": text, "mark": text, "note": text, "group": text, "refused": {other: text}}:
    ``mark`` stands small beside the title, ``note`` below the cards while the option is chosen, ``group`` above those
    that share it. An option cannot be chosen while one of the
    choices named in ``after`` stands at a key of ``refused``, whose text then says why; one with ``only``, a list of
    names, is there while one of those choices stands at one of them, and the whole goes where no option is left.
    ``topic`` is the name under which other choices know this one. A ``folded`` choice shows what is chosen and opens
    its cards at a click. Of ``many`` the value has several names with * between them, at least one.
    """

    script = "choice"
    fires = ("change",)

    def __init__(
        self,
        value: str = "",
        *,
        options: Sequence[dict[str, Any]] = (),
        topic: str = "",
        after: Sequence[str] = (),
        folded: bool = False,
        many: bool = False,
        **more: Any,
    ) -> None:
        name = "|".join(option["name"] for option in options)
        given = {"options": to_json(options), "topic": topic, "after": to_json(after), "folded": folded, "many": many}
        super().__init__(value, pattern=rf"(?:{name})(?:\*(?:{name}))*" if many else name, **given, **more)
