"""Several runs over each other, and what changed between them."""

import gradio as gr

from lab.settings import SettingsError
from lab.ui.pages.pretrain.handlers import may_see
from lab.ui.runs.changes import changes
from lab.ui.runs.overlay import overlaid, unlike
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.visitor import readable

OVERLAID = 6  # runs
TOO_MANY = SettingsError(f"only the first {OVERLAID} runs ticked are drawn", f"只画最先勾选的 {OVERLAID} 个训练")


def overlay(visitor: str, names: str) -> Values:
    """Several runs over each other, and what changed between them. ``names`` has commas between the runs' ids; those
    that this visitor cannot see are left out, and that is said."""
    chosen = [*filter(None, names.split(","))]
    there = [name for name in chosen if may_see(visitor, name)]
    folders = [readable(name, visitor) for name in there[:OVERLAID]]
    several = len(folders) > 1
    drawn = {"overlay": overlaid(folders), "changes": changes(folders), "unlike": unlike(folders)} if several else {}
    left_out = {"compare": ",".join(there), NOTE: _left_out(len(chosen) - len(there))} if there != chosen else {}
    too_many = {NOTE: TOO_MANY} if len(there) > OVERLAID else {}
    return {"compared": gr.update(visible=several), **drawn, **too_many, **left_out}


def _left_out(n: int) -> SettingsError:
    runs = "one of the runs to compare is" if n == 1 else f"{n} of the runs to compare are"
    return SettingsError(f"{runs} not on this page: left out", f"要比较的训练中有 {n} 个不在本页：已略去")


def overlay_on(visitor: str, names: str) -> Values:
    """The overlay as it has grown, as long as one of its runs learns; and without those that are there no longer."""
    chosen = [*filter(None, names.split(","))]
    if not all(may_see(visitor, name) for name in chosen):
        return overlay(visitor, names)
    going = any(readable(name, visitor).status() == "running" for name in chosen[:OVERLAID])
    return overlay(visitor, ",".join(chosen[:OVERLAID])) if going else {}
