"""Context windows: for each token in the middle, the pairs that are learnt from, with their negative samples."""

from lab.ui.components.drawn import Drawn


class Windows(Drawn):
    """Value: {"tokens": [T texts], "around": [T lists of places], "negatives": {"skip-gram": [T lists, for each place
    of ``around`` a list of samples], "cbow": [T lists of samples]}, "distances": [[distance, chance, expected pairs,
    pairs], ...], "noise": {"rows": [[text, count, share by count, share as it is drawn], ...], "more": n}, "note":
    texts, "empty": text}; nothing is drawn without a value.

    A sample is the text of a token, or None where it is the target itself and is left out.
    """

    script = "windows"
