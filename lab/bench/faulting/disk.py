"""A disk that fails once: at the n-th open, write, fsync, rename or mkdir of a save, or the process dies there."""

import errno
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from lab.bench.faulting.outcome import outcome
from lab.bench.faulting.processes import PATIENCE, started
from lab.bench.faulting.tally import Tally
from lab.runs import checkpoint
from lab.runs.checkpoint import State
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training import saving
from lab.training.train import train

Fault = Literal["ENOSPC", "EIO", "SIGKILL"]
FAULTS: tuple[Fault, ...] = ("ENOSPC", "EIO", "SIGKILL")
CALLS = frozenset({"open", "write", "fsync", "rename", "mkdir"})  # what asks the disk for something
DISTURBED = (2, 3)  # the steps whose saves are disturbed
CALLS_MADE = "calls.txt"


class FailingDisk:
    """A profile function (``sys.setprofile``): Python calls it before every function that is written in C, and what it
    raises is raised in place of the call. So no line of what is tested has to be changed."""

    def __init__(self, fault: Fault, at: int) -> None:
        self.fault, self.at = fault, at
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, call: Any) -> None:
        if event != "c_call" or call.__name__ not in CALLS:
            return
        self.calls += 1
        if self.calls != self.at:
            return
        if self.fault == "SIGKILL":
            os.kill(os.getpid(), signal.SIGKILL)
        code = getattr(errno, self.fault)
        raise OSError(code, os.strerror(code))


def disk_faults(run: Run, fault: Fault, place: Path, every: int = 1) -> Tally:
    """A run for each call, or ``every`` so many, that two saves make to the disk, with a disk that fails there."""
    undisturbed = RunFolder.create(run, place / f"{fault}-never")
    started(saves_on_failing_disk, undisturbed, fault, 0).join(PATIENCE)
    expected, calls = outcome(undisturbed), int((undisturbed.path / CALLS_MADE).read_text(encoding="utf-8"))
    tally = Tally()
    for at in range(1, calls + 1, every):
        folder = RunFolder.create(run, place / f"{fault}-{at}")
        started(saves_on_failing_disk, folder, fault, at).join(PATIENCE)
        _finish(folder)
        tally.faults += 1
        tally.hold(folder, expected)
    return tally


def saves_on_failing_disk(path: str, fault: Fault, at: int) -> None:
    """A worker that saves after every step and whose disk fails at call ``at`` of the disturbed saves, 0 for never. It
    notes how many calls those made."""
    disk, save = FailingDisk(fault, at), checkpoint.save

    def disturbed(root: Path, state: State, best: int = 0) -> None:
        sys.setprofile(disk if state.step in DISTURBED else None)
        try:
            save(root, state, best)
        finally:
            sys.setprofile(None)

    checkpoint.save = disturbed
    saving.SAVE_SECONDS, saving.SAVE_SHARE = 0.0, float("inf")
    for _ in train(RunFolder.open(Path(path))):
        pass
    (Path(path) / CALLS_MADE).write_text(str(disk.calls), encoding="utf-8")


def _finish(folder: RunFolder) -> None:
    """Bring a run to its end that has not come there, on a disk that does not fail."""
    if folder.status() != "finished":
        with suppress(SettingsError, OSError, AssertionError):  # then it is lost, which the tally says
            for _ in train(folder):
                pass
