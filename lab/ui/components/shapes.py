"""Two models' sizes on sliders, and the formulas that follow from them, worked out in the browser."""

from lab.ui.components.drawn import Drawn


class Shapes(Drawn):
    """Value: "LEFT*RIGHT", each a published name or "model.vocabulary.width.narrow.depth.heads.feed.context".

    ``facts`` (JSON text) is what assets/components/counting.js works with. Fires ``worked`` when the values of the
    components beside it lie ready in window.lab.worked, ``settle`` when nothing has moved for a moment, and ``config``
    with {"side": 0 or 1, "text": text} when a visitor brings a config.json.
    """

    script = "shapes"
    fires = ("worked", "settle", "config")


class Formulas(Drawn):
    """Value: {"names": [text, text], "ideas": rows, "parts": rows, "wholes": [n, n], "letters": [[letter, text]]},
    a row being {"name": text, "note": text, "cells": [{"groups": [{"times": n, "terms": [...]}], "total": n}]}."""

    script = "formulas"


class Ledger(Drawn):
    """Value: {"names": [text, text], "sides": [{piece: n}, {piece: n}]}: what a count of each model may hold."""

    script = "ledger"


class Treemap(Drawn):
    """Value: {"models": [{"name": text, "file": name, "tensors": [[path, [size, ...], part, n], ...]}, ...]}."""

    script = "treemap"
