"""The co-occurrence matrix of a text: how often its tokens stand near each other."""

from lab.ui.components.drawn import Drawn


class Cooccurrences(Drawn):
    """Value: {"tokens": [N texts], "times": [N rows of N numbers], "met": {"i,j": [meetings at distance 1, 2, ...]},
    "sums": [N sums over all tokens], "most": number, "power": number, "note": texts, "empty": text}; nothing is drawn
    without a value.

    ``times`` are the counts X. ``met``, whose i <= j, says what they are made of, and leaves out pairs that never meet.
    ``most`` and ``power`` are those of the weight.
    """

    script = "cooccurrences"
