"""Damaged checkpoints: a bit flipped, or the end cut off, in a file of the newest one."""

import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.bench.faulting.tally import Tally
from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.training.train import train


def damages(whole: RunFolder, undisturbed: Mapping[str, Any], place: Path, count: int, dice: random.Random) -> Tally:
    """A finished run, its newest checkpoint damaged anew each time, and trained again from what is left.

    A run whose damage goes unseen has nothing left to train, and its weights are not those of the undisturbed one.
    """
    tally = Tally(faults=count)
    for number in range(count):
        folder = RunFolder(shutil.copytree(whole.path, place / "damaged"))
        newest = checkpoint.newest(folder.path / "checkpoints")
        assert newest is not None
        damage(dice.choice(sorted(newest.iterdir())), number % 2 == 0, dice)
        for _ in train(folder):
            pass
        tally.hold(folder, undisturbed)
        shutil.rmtree(folder.path)
    return tally


def damage(file: Path, flip: bool, dice: random.Random) -> None:
    """Flip one bit of a file, or cut off its end."""
    data = bytearray(file.read_bytes())
    at = dice.randrange(len(data))
    if flip:
        data[at] ^= 1 << dice.randrange(8)
    file.write_bytes(data if flip else data[:at])
