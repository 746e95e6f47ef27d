"""Curves along the layers of models of several depths, of which a slider chooses one."""

from lab.ui.components.drawn import Drawn


class ByDepth(Drawn):
    """Value: {"depths": [numbers of layers], "all": how many there will be, "at": number of layers, "kinds": [{"name":
    text, "colour": meaning, "dash": text}, ...], "measures": [{"name": text, "y": text, "first": layer of the first
    number, "logy": bool, "low": y, "high": y}, ...], "numbers": kinds * depths * measures * [numbers], "x": text}, or
    {"empty": text}.

    The depth is part of the address as ``depth``.
    """

    script = "by_depth"
