"""Web servers that are killed while a worker of theirs trains: the run goes on, and no process is left over."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lab.bench.faulting.processes import wait
from lab.bench.faulting.tally import Tally
from lab.runs.folder import RunFolder
from lab.runs.run import Run

LEFT_OVER = 15.0  # seconds after which a process that trains nothing is an orphan
Server = subprocess.Popen[str]


def server_kills(run: Run, undisturbed: Mapping[str, Any], home: Path, kills: int, dice: random.Random) -> Tally:
    """The run on so many servers, one after the other, each killed at a random instant; what that interrupts, the next
    server resumes."""
    tally = Tally(faults=kills)
    for _ in range(kills):
        server, folder = _serving(run.dump(), home)
        _wait_while(folder, "waiting")
        time.sleep(dice.uniform(0, 1.0))
        tally.orphans += _killed(server, folder)
        if folder.status() != "finished":
            server, _ = _serving(folder.name, home)
            _wait_while(folder, "waiting", "running", "interrupted")
            tally.orphans += _killed(server, folder)
        tally.hold(folder, undisturbed)
    return tally


def _serving(asked: dict[str, Any] | str, home: Path) -> tuple[Server, RunFolder]:
    """A server in a process group of its own, and the run that it starts or, by its name, resumes."""
    server = subprocess.Popen(
        [sys.executable, "-m", "lab.bench.arms.web_server", json.dumps(asked)],
        env={**os.environ, "CLOZE_LAB_HOME": str(home), "CLOZE_LAB_PROFILE": "laptop"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    return server, RunFolder(home / server.stdout.readline().strip())


def _killed(server: Server, folder: RunFolder) -> int:
    """Kill the server; how many of its processes are there yet, some time after its run is no more under way."""
    server.kill()
    server.wait()
    _wait_while(folder, "running")
    end = time.monotonic() + LEFT_OVER
    while (left := members(server.pid)) and time.monotonic() < end:
        time.sleep(0.05)
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return len(left)


def members(group: int) -> list[int]:
    """The living processes of a group, as Linux lists them."""
    alive = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
            alive += [int(stat.parent.name)] if int(its_group) == group and state != "Z" else []
    return alive


def _wait_while(folder: RunFolder, *statuses: str) -> None:
    wait(lambda: folder.status() not in statuses, pause=0.02)
