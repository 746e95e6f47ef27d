"""Bar charts: probabilities, and parts that add up to a whole."""

from lab.ui.components.drawn import Drawn


class Bars(Drawn):
    """Value: {"bars": [{"name": text, "value": number, "cut": bool, "chosen": bool, "kind": meaning, "note": text}],
    "unit": "percent" or "number", "max": number, "wide": bool, "empty": text}. ``wide`` gives long names more room.

    A bar may have the value ``expected`` of it, a ``band`` [low, high] in which chance leaves it, and ``said``, a text
    in place of its number.
    Names are tokens, whose white space is made visible; ``"token": false`` for other names. Fires ``pick`` with i.
    """

    script = "bars"
    fires = ("pick",)


class Stacked(Drawn):
    """Value: {"rows": [{"name": text, "parts": [{"name": text, "value": number, "note": text}], "note": text}],
    "unit": text, "empty": text}. All rows share one scale; parts of one name light up together."""

    script = "stacked"
