"""A short text that the browser keeps and handlers receive: the visitor, the language, the query string."""

from typing import Any

from lab.ui.components.drawn import Drawn


class Memo(Drawn):
    """Value: a plain string. Invisible.

    With ``subject`` it says what a part of the page is about: an answer to a question that was asked while it said
    something else is not shown.
    """

    script = "memo"

    def __init__(
        self, value: str = "", *, pattern: str = r"[\s\S]{0,4000}", subject: bool = False, **options: Any
    ) -> None:
        options |= {"subject": True} if subject else {}
        super().__init__(value, pattern=pattern, visible="hidden", **options)


class Opener(Drawn):
    """Value: none. Invisible, and mounted with the page named ``page``.

    Fires ``opened`` once, when the page is first opened, and ``reopened`` whenever a visitor comes back to it, from
    another page of the lab or from another window, or has deleted a run in one.
    """

    script = "opener"
    fires = ("opened", "reopened")

    def __init__(self, page: str, **options: Any) -> None:
        super().__init__(None, page=page, visible="hidden", **options)


class Still(Drawn):
    """Value: none. Invisible.

    Fires ``still`` once, after ``window.lab.stir`` was called with its id, no request is on its way any more but such
    as answer to the component ``but``.
    """

    script = "still"
    fires = ("still",)

    def __init__(self, but: int, **options: Any) -> None:
        super().__init__(None, but=but, visible="hidden", **options)


class Saved(Drawn):
    """Value: {"name": str, "data": base64, "at": number}. A file that the browser saves as soon as it comes."""

    script = "saved"


class Toast(Drawn):
    """Value: {"title": text, "text": text, "mild": bool, "at": number}. A note that goes by itself."""

    script = "toast"
