"""Labelled examples to browse: what each says, its true class and what a model took it for."""

from lab.ui.components.drawn import Drawn


class ExampleList(Drawn):
    """Value: {"title": text, "examples": [{"text", "pair", "options", "true": text, "said": text, "share": 0..1 or
    null, "right": bool}], "more": n, "empty": text}. Fires ``pick`` with the first three of the one that was clicked.
    """

    script = "examples"
    fires = ("pick",)
