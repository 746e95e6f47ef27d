"""Figures in a row, each with its name, unit and yardstick."""

from lab.ui.components.drawn import Drawn


class Tiles(Drawn):
    """Value: {"tiles": [{"name": text, "value": number or text, "unit": text, "note": text, "share": 0..1,
    "digits": n, "kind": meaning}]}. ``share`` draws a thin meter under the number."""

    script = "tiles"
