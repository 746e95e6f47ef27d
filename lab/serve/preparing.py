"""A worker's progress before its first step, for the page, and an ear that hears "stop" meanwhile.

To read a large text and to train a tokenizer on it takes long, in calls that cannot be asked to end. Nothing is lost if
the process ends in the middle of them.
"""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lab.data.corpus import Tell
from lab.runs import checkpoint
from lab.runs.files import write
from lab.runs.folder import STOP, RunFolder

PREPARING = "preparing.json"
BEAT = 0.3  # seconds between two looks, and between two reports


@contextmanager
def preparing(folder: RunFolder) -> Iterator[tuple[Tell, threading.Event]]:
    """What is to be told how far it is, and an event to set with the first step. Until then a wish to stop ends the
    process at once."""
    ready, told = threading.Event(), 0.0

    def tell(part: str, share: float) -> None:
        nonlocal told
        now = time.monotonic()
        if not 0 < share < 1 or now - told > BEAT:
            told = now
            with suppress(OSError):
                write(folder.path / PREPARING, json.dumps({"part": part, "share": round(share, 3)}))

    threading.Thread(target=_listen, args=(folder, ready), name="stop", daemon=True).start()
    try:
        yield tell, ready
    finally:
        ready.set()
        (folder.path / PREPARING).unlink(missing_ok=True)


def _listen(folder: RunFolder, ready: threading.Event) -> None:
    while not ready.wait(BEAT):
        if folder.asked_to_stop():
            _stop(folder)


def _stop(folder: RunFolder) -> None:
    newest: Path | None = checkpoint.newest(folder.path / "checkpoints")
    steps = int(newest.name.removeprefix("step-")) if newest else 0
    write(folder.path / "result.json", json.dumps({"run": folder.name, "ended": "stopped", "steps": steps}))
    for name in (STOP, PREPARING):
        (folder.path / name).unlink(missing_ok=True)
    os._exit(0)
