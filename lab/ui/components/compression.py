"""The vocabulary size sweep as curves, one for each kind of tokenizer, and one size read off all."""

from lab.ui.components.drawn import Drawn


class Compression(Drawn):
    """Value: {"sizes": [...], "kinds": [{"name", "title": text, "points": [[size, tokens per character, bits per byte,
    share lost], ...], "ends": text}], "model": {"title": text, "width": n, "parameters": [n, per token], "operations":
    [n, per token], "rate": operations a second, "note": text}, "on": text, "note": text, "ask": text, "at": n}.

    With ``ask`` there is a button of that name, which fires ``draw``. ``use`` is fired with the ``size`` that is to be
    learnt above. All else happens in the browser; the
    address has under ``curve`` what is chosen.
    """

    script = "compression"
    fires = ("draw", "use")
