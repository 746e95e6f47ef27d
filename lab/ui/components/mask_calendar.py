"""Static and dynamic masking, token by epoch: what was masked when, drawn once and drawn anew."""

from lab.ui.components.drawn import Drawn


class MaskCalendar(Drawn):
    """Value: {"seed": n, "epochs": n, "copies": n, "tokens": [texts], "sides": [side, side],
    "note": texts, "empty": text}; nothing is drawn without a value.

    A side is {"name": text, "cells": a letter a token and epoch, "words": {"token,epoch": text}, "blanks": [a count a
    token], "said": text}. Letters: "." not asked, "m" masked, "r" replaced by the word of that cell, "k" kept. Fires
    ``roll`` with the next seed.
    """

    script = "mask_calendar"
    fires = ("roll",)
