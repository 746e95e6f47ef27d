"""Tokens per language: what one paragraph costs in each tokenizer, as bars."""

from lab.ui.components.drawn import Drawn


class Paragraphs(Drawn):
    """Value: {"kinds": [{"name", "title": text}], "rows": [{"name": text, "code": str, "text": str, "tokens": [n, one
    for each kind], "unknown": [share, one for each kind]}]}."""

    script = "paragraphs"
