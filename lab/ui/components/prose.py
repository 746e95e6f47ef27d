"""A page's heading and running text in both languages, and the command that does the same as the page."""

from lab.ui.components.drawn import Drawn


class Prose(Drawn):
    """Value: [[kind, text], ...] with kind h1, h2, h3, lead, p, note or code, ul and ol with a list of texts, or
    cite with pieces [text, address].

    A text may hold `code` and **bold** and nothing else.
    """

    script = "prose"


class Command(Drawn):
    """Value: {"command": "python -m lab ..."}. A folded block with a button that copies."""

    script = "command"
