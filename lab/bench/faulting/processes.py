"""Processes that are to be disturbed: how they are started, and waiting for the instant at which that is done."""

import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any

from lab.runs.folder import RunFolder
from lab.serve.workers import children

PATIENCE = 120.0  # seconds for what takes one


def started(worker: Any, folder: RunFolder, *more: Any) -> BaseProcess:
    """``worker``, called with the run's path, in a process of its own."""
    process: BaseProcess = children().Process(target=worker, args=(str(folder.path), *more))
    process.start()
    return process


def wait(until: Callable[[], bool], *, pause: float, patience: float = PATIENCE) -> None:
    """Look again after each ``pause`` in seconds, until it is so or ``patience`` in seconds ends."""
    end = time.monotonic() + patience
    while not until() and time.monotonic() < end:
        time.sleep(pause)
