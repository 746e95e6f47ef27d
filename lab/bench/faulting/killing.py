"""Workers that are killed (SIGKILL) at random instants, every other time during a save."""

import random
import time
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from lab.bench.faulting.processes import PATIENCE, started, wait
from lab.bench.faulting.tally import Tally
from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.training import saving
from lab.training.train import train

Worker = Callable[[str], None]  # trains the run in a folder until it is finished or somebody kills it
KILLS_A_RUN = 20
PAUSE = 0.02  # seconds between two steps, at most: what is not a save must be hit, too


def saves_always(path: str) -> None:
    """A worker that saves after every step."""
    saving.SAVE_SECONDS, saving.SAVE_SHARE = 0.0, float("inf")
    for _ in train(RunFolder.open(Path(path))):
        time.sleep(PAUSE * random.random())


def worker_kills(
    run: Run,
    undisturbed: Mapping[str, Any],
    place: Path,
    kills: int,
    dice: random.Random,
    worker: Worker = saves_always,
) -> Tally:
    """Runs whose workers are killed over and over, the last of each left in peace."""
    tally = Tally()
    for first in range(0, kills, KILLS_A_RUN):
        folder = RunFolder.create(run, place / f"killed-{first}")
        during_save = [number % 2 == 0 for number in range(first, min(first + KILLS_A_RUN, kills))]
        tally.faults += sum(killed(started(worker, folder), folder, save, dice) for save in during_save)
        started(worker, folder).join(PATIENCE)
        tally.hold(folder, undisturbed)
    return tally


def killed(process: BaseProcess, folder: RunFolder, during_save: bool, dice: random.Random) -> bool:
    """Kill the process at a random instant; whether it came before the process had ended."""
    log = folder.path / "metrics.jsonl"
    before = log.stat().st_size if log.exists() else 0
    checkpoints = folder.path / "checkpoints"

    def once(true: Callable[[], bool]) -> None:
        wait(lambda: not process.is_alive() or true(), pause=0.0002)

    # A kill before there is anything to go on from tests nothing.
    once(lambda: checkpoint.newest(checkpoints) is not None and log.stat().st_size > before)
    time.sleep(dice.uniform(0, 0.1))
    if during_save:
        once(lambda: any(checkpoints.glob(".tmp-*")))
        time.sleep(dice.uniform(0, 0.002))
    process.kill()
    process.join()
    return process.exitcode != 0
