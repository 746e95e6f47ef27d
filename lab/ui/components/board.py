"""Every objective's exercise on one text, a row each; a token that is pointed at lights up in all of them."""

from lab.ui.components.drawn import Drawn


class Board(Drawn):
    """Value: {"texts": [texts of tokens], "groups": [{"title": text, "rows": [row, ...]}], "empty": text}.

    A row is {"name", "title": text, "strips": [{"label": text, "text": [numbers of texts], "kind": letters, "from":
    [places in the text], "below": [numbers of texts], "more": n}], "note": text, "mask": {"n", "bits"}}. Below the
    tokens of a strip that is ``ordered`` stand their turns. Fires ``pick`` with the name of a row. The row named by a
    value's ``chosen`` is marked, or by an event of that name.
    """

    script = "board"
    fires = ("pick",)
