"""Running text with marked stretches: what a round trip lost, what a model wrote."""

from lab.ui.components.drawn import Drawn


class Marked(Drawn):
    """Value: {"rows": [{"label": text, "parts": [[text, kind, tag], ...], "note": text}], "empty": text}.

    ``kind`` is "" for plain text, else a meaning as of a token: wrong, written, masked, kept, replaced, predicted. The
    ``tag``, which may be left out, stands small behind a marked stretch.
    """

    script = "marked"
