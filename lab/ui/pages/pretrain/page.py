"""Pretrain: choose a text, a model and a time, start, and watch the loss fall below what counting can do."""

from lab.ui.pages.pretrain.dials import dials, wire_dials
from lab.ui.pages.pretrain.stage import stage, wire_run
from lab.ui.shell.answers import apart
from lab.ui.shell.frame import Frame

NAME = "pretrain"


def build(frame: Frame) -> None:
    """Lay the page out and wire it: three choices, a bar that stays in sight, and the run on one screen."""
    frame.heading("pretrain.title", "pretrain.lead")
    panel, parts = dials(frame)
    parts = apart(parts, stage(frame))
    wire_dials(frame, panel, parts)
    wire_run(frame, panel, parts)
