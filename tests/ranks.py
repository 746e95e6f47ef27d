"""Processes that train runs together, for the tests of what is beyond one: with gloo, on this machine."""

import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lab.cli import foreground
from lab.cli.main import main
from lab.layers.discriminator import Discriminator
from lab.runs.folder import RunFolder
from lab.serve.workers import children
from lab.training import saving, wishes
from lab.training.launcher import launched
from lab.training.train import train


def together(folders: Sequence[RunFolder], *, sharded: bool = False, until: int = 10**9, size: int = 2) -> None:
    """Train the runs, one after the other, by ``size`` processes; the first asks to stop behind step ``until``."""
    paths = [str(folder.path) for folder in folders]
    processes = [children().Process(target=one, args=(place, paths, sharded, until)) for place in places(size)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(100)
    codes = [process.exitcode for process in processes]  # below zero: the signal that ended it
    assert codes == [0] * size, codes


def places(size: int) -> list[dict[str, str]]:
    """What a launcher tells each of ``size`` processes on this machine by its environment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": str(size)}
    return [meeting | {"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(size)]


def one(place: dict[str, str], paths: Sequence[str], sharded: bool, until: int) -> None:
    """One of the processes."""
    os.environ.update(place)
    without_luck()
    wishes.EVERY = 0.0  # a wish is heard after the very step
    with launched(sharded) as group:
        for folder in map(RunFolder.open, map(Path, paths)):
            for step in train(folder, group=group):
                if group.first and step.step == until:
                    folder.ask_to_stop()


def without_luck() -> None:
    """Let a generator network answer with its best guess: its draws are each rank's own."""
    Discriminator._draw = lambda self, chances: chances.argmax(-1)  # type: ignore[method-assign]


def dying(*given: Any, **more: Any) -> Any:
    """Training that saves at every step, and whose second process is killed behind the sixth of its first life."""
    saving.SAVE_SECONDS, saving.SAVE_SHARE = 0.0, 1e9
    first_life = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
    for step in train(*given, **more):
        yield step
        if first_life and os.environ["RANK"] == "1" and step.step == 6:
            os.kill(os.getpid(), signal.SIGKILL)


def apart(one: dict[str, Tensor], two: dict[str, Tensor]) -> float:
    """The largest difference between two models' weights."""
    assert one.keys() == two.keys()
    return max((one[name] - two[name]).abs().max().item() for name in one)


if __name__ == "__main__":
    torch.set_num_threads(1)
    foreground.train = dying
    sys.exit(main())
