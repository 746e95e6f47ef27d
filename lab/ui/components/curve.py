"""A line chart that grows while one watches."""

from lab.ui.components.drawn import Drawn


class Curve(Drawn):
    """Value: {"series": [{"name": text, "x": [...], "y": [...], "kind": "line", "points" or "dots", "colour":
    meaning}], "baselines": [{"name": text, "y": number}], "x": text, "y": text, "logx": bool, "logy": bool,
    "smooth": 0..0.98, "until": x, "low": y, "high": y, "height": pixels, "dials": bool, "empty": text,
    "title": text}. A title stands in the place of the label.

    A series may have a band, ``low`` and ``high`` [...] around its ``y``, and ``dots`` (bool) at its points. Of the
    kind "dots" it has no line but a whisker from low to high at each point, and the points' ``names`` [text, ...].

    With ``axes`` [[name, text], ...] and ``scales`` [[name, short text, text], ...] the visitor chooses along what and
    in what unit the lines are drawn: a series then has ``by`` {axis: [...]}, for axes other than "step", and ``times``
    {scale: number}; it is not drawn where it has not what was chosen.

    With ``key`` and ``from`` (one count for each series) the points are appended to those already there; where they do
    not join on, ``gap`` is fired with ``have`` (counts) and ``key``. A gap in a line is null.
    """

    script = "curve"
    fires = ("gap",)
