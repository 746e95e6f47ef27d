"""A text whose blanks a visitor fills, beside what a model says."""

from lab.ui.components.drawn import Drawn


class ClozeGame(Drawn):
    """Value: {"seed": n, "source": "town" or "own", "language": "en" or "zh", "model": name, "pieces": [text or number
    of a blank], "blanks": [{"answer": text, "top": [[text, share], ...], "right": bool}], "note": texts, "empty":
    text}; nothing is drawn without a value.

    Fires ``roll`` with the seed, source and language that are wanted.
    """

    script = "cloze_game"
    fires = ("roll",)
