"""Attribution drawn on a text: which of its tokens speak for a class and which against it."""

from lab.ui.components.drawn import Drawn


class EvidenceText(Drawn):
    """Value: {"rows": [{"label": text, "tokens": [{"text", "bytes", "special": bool, method: number}, ...], "lacks":
    {method: text}}], "methods": [[name, text, text of its own], ...], "empty": text}.

    One of the methods is shown, which the visitor chooses and the address keeps; in a row that ``lacks`` it stands why.
    """

    script = "evidence"
