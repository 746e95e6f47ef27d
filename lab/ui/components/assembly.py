"""Chips that move from lane to lane, frame by frame."""

from lab.ui.components.drawn import Drawn


class Assembly(Drawn):
    """Value: {"of": objective, "seed": n, "chips": [{"text", "special"}], "frames": [frame, ...], "note": texts,
    "empty": text}; nothing is drawn without a value.

    A frame is {"caption": text, "lanes": [{"name": text, "chips": [numbers]}], "lit": [numbers], "places": {number:
    [numbers under the chip]}}. Fires ``roll`` with of and the next seed.
    """

    script = "assembly"
    fires = ("roll",)
