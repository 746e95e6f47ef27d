"""Chips that move from lane to lane, frame by frame."""

from lab.ui.components.drawn import Drawn


class Assembly(Drawn):
    """Value: {"seed": n, "rates": [shares], "share": share, "chips": [{"text", "special"}], "frames": [frame, ...],
    "note": texts, "empty": text}; nothing is drawn without a value.

    A frame is {"caption": text, "lanes": [{"name": text, "chips": [numbers]}], "lit": [numbers], "places": {number:
    [numbers under the chip]}}. Fires ``roll`` with the next seed, and ``amount`` with another share.
    """

    script = "assembly"
    fires = ("roll", "amount")
