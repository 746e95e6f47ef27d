"""A factorisation order by hand: tokens put into the order in which they are read, and who sees whom then."""

from lab.ui.components.drawn import Drawn


class PermutationDesk(Drawn):
    """Value: {"tokens": [texts], "fixed": [whether a token is never asked], "order": [places], "last": n, "note":
    texts, "empty": text}; nothing is drawn without a value.

    ``order`` lists the places of the tokens in the order in which they are read, and the ``last`` of them that may be
    asked are. A visitor changes both in the browser.
    """

    script = "permutation_desk"
