"""The snapshots of a run: a slider over the steps at which its weights were kept."""

from lab.ui.components.drawn import Drawn


class SnapshotSlider(Drawn):
    """Value: {"steps": [step, ...], "at": step or null}; null stands for the run as it is, which is the last one.

    Fires ``scrub`` with step, as text, "" for the last one. Invisible where there are fewer than two.
    """

    script = "snapshots"
    fires = ("scrub",)
