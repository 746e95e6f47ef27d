"""The input as a sum, in two dimensions: arrows of one token that add up, and where the sums of all tokens lie."""

from lab.ui.components.drawn import Drawn


class SumPlane(Drawn):
    """Value: {"tokens": [T texts], "parts": [{"name": text, "points": [[x, y], ...], "lengths": [number, ...]}, ...],
    "shares": [share, share], "meant": number, "places": [place, ...], "group": name}, or {"empty": text}. Points and
    lengths are T each; ``meant`` is the token whose arrows are shown until another is pointed at."""

    script = "input_sum"
