"""NSP beside SOP: what simple classifiers reach on either, and how they judge a few pairs."""

from lab.ui.components.drawn import Drawn


class Shortcut(Drawn):
    """Value: {"seed": n, "source": "en", "zh" or "own", "sides": [side, side] or [], "note": texts}; nothing is drawn
    without a value.

    A side is {"name": text, "asks": text, "chance": share, "readers": [reader, ...], "examples": [example, ...]}; a
    reader {"name": text, "right": share, "spread": share}; an example {"parts": [[[text, shared], ...], ...], "truth":
    text, "said": text, "right": bool, "sure": share}.
    Fires ``roll`` with the source and the seed that are wanted.
    """

    script = "shortcut"
    fires = ("roll",)
