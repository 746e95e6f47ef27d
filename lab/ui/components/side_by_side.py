"""A diff of two pieces of source, the lines that differ marked; and a plain table."""

from lab.ui.components.drawn import Drawn


class SideBySide(Drawn):
    """Value: {"left": text, "right": text, "rows": [[left line or None, right line or None], ...]}."""

    script = "side_by_side"


class Table(Drawn):
    """Value: {"columns": [text, ...], "rows": [[text or number, ...], ...], "empty": text, "note": text, "cells":
    bool}; numbers stand right, the note below. Without rows it says what is ``empty``, and with "" it is not there at
    all. Where its ``cells`` lead
    somewhere, a click on a number fires ``pick`` with row and column, both counted from 0, the first column of numbers
    as 0. ``"leads": [column, names]`` makes buttons of that column's cells, which fire the name of their row, too."""

    script = "table"
    fires = ("pick",)
