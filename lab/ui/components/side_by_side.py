"""A diff of two pieces of source, the lines that differ marked; and a plain table."""

from lab.ui.components.drawn import Drawn


class SideBySide(Drawn):
    """Value: {"left": text, "right": text, "rows": [[left line or None, right line or None], ...]}."""

    script = "side_by_side"


class Table(Drawn):
    """Value: {"columns": [text, ...], "rows": [[text or number, ...], ...], "empty": text}; numbers stand right."""

    script = "table"
