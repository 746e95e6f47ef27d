"""Snapshots along a run: weights in half precision at steps that double, to look back at how it learnt.

A snapshot is a checkpoint without an optimizer, written as safely and trusted no sooner. They are few and small: where
there would be too many, the one goes that is closest to its neighbours; none is taken that would cost too much time.
"""

import contextlib
import math
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from lab.runs import checkpoint
from lab.runs.checkpoint import State, step_of
from lab.runs.eight_bits import halved
from lab.settings import SettingsError

FOLDER = "snapshots"
MOST = 16
BYTES = 16 * 2**20  # of all snapshots of a run
SHARE = 0.01  # of the run's time
LATE = 12  # doublings after which all of that may be spent: of a slow run the end is kept, too


class Snapshots:
    """The snapshots of one run while it learns."""

    def __init__(self, run: Path) -> None:
        self._root = run / FOLDER
        self._spent = self._last = 0.0  # seconds: on all of them, and on the last one

    def planned(self, step: int) -> bool:
        """Whether a snapshot is wanted at this step: 0, 1, 2, 4, 8, ..."""
        return step.bit_count() <= 1

    def affordable(self, step: int, whole: float) -> bool:
        """Whether there is time for one in a run of ``whole`` seconds."""
        return self._spent + self._last <= SHARE * whole * min(1.0, (step.bit_length() + 2) / LATE)

    def keep(self, step: int, weights: Mapping[str, Tensor]) -> float:
        """Keep the weights at this step. Returns the seconds that it took. A full disk is passed over: what a run must
        keep are its checkpoints."""
        started = time.monotonic()
        with contextlib.suppress(OSError):
            _keep(self._root, step, weights)
        self._last = time.monotonic() - started
        self._spent += self._last
        return self._last

    def cut(self, step: int) -> None:
        """Drop every snapshot after ``step``, from where a resumed run goes on."""
        for folder in checkpoint.folders(self._root):
            if step_of(folder) > step:
                shutil.rmtree(folder, ignore_errors=True)


def steps(run: Path) -> list[int]:
    """The steps at which the weights of a run are kept: of its snapshots, and of its newest checkpoint."""
    newest = checkpoint.newest(run / "checkpoints")
    return sorted({step_of(folder) for folder in (*checkpoint.folders(run / FOLDER), *filter(None, [newest]))})


def weights_at(run: Path, step: int) -> dict[str, Tensor]:
    """The weights of a run at a step. Raises SettingsError where they were not kept."""
    for name in ("checkpoints", FOLDER):
        with contextlib.suppress(FileNotFoundError):
            return checkpoint.load_weights(run / name, step)[0]
    raise unkept(run, step)


def unkept(run: Path, step: int) -> SettingsError:
    """What is said of a step at which no weights were kept."""
    kept = ", ".join(map(str, steps(run)))
    return SettingsError(
        f"the weights of {run.name} at step {step} were not kept; those of these steps were: {kept}",
        f"没有保存 {run.name} 第 {step} 步的权重；已保存的步数：{kept}",
    )


def _keep(root: Path, step: int, weights: Mapping[str, Tensor]) -> None:
    halves = {name: halved(tensor).cpu() for name, tensor in weights.items()}
    room = min(MOST, BYTES // max(1, sum(tensor.nbytes for tensor in halves.values())))
    if room < 2:  # a beginning without an end shows nothing
        return
    _thin(root, room - 1)
    checkpoint.write(root, State(step, halves, {}, {}))


def _thin(root: Path, room: int) -> None:
    """Make it ``room`` snapshots, evenly apart by the logarithm of their steps. The first one stays."""
    folders = checkpoint.folders(root)[::-1]
    places = [math.log2(1 + step_of(folder)) for folder in folders]
    while len(folders) > room:
        inner = range(1, len(folders) - 1)
        gone = min(inner, key=lambda at: places[at + 1] - places[at - 1], default=len(folders) - 1)
        shutil.rmtree(folders.pop(gone), ignore_errors=True)
        places.pop(gone)
