"""The training queue: runs wait for a free core, and start.

The queue is on disk: a ticket in the folder of each run that waits. A server that is started anew goes on with it.
"""

import json
import logging
import multiprocessing
import shutil
import threading
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import torch

from lab.analysis.forecast import NOTED, forecast
from lab.experiments.study import STUDY, Study
from lab.runs.files import write
from lab.runs.finding import runs
from lab.runs.folder import ENDED_EARLY, GOING, RunFolder, home
from lab.runs.run import Run
from lab.runs.vocabulary_size import vocabulary_size
from lab.serve.keeping import make_room
from lab.serve.limits import bearable, limits
from lab.serve.ownership import studies
from lab.serve.worker import get_ready, work
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer

log = logging.getLogger("lab.serve")

CLEARING = 600.0  # seconds between two looks whether what is kept is too much
STILLBORN = 3  # times that a worker may die before it has taken its run; then the run has failed
OWN_STUDIES = 5  # that are kept for each owner
GRACE = 1.25  # times the longest training here, after which one ends that was given steps


def children() -> Any:
    """How child processes are made: forked from a server that has torch loaded, which takes a hundredth of a second;
    anew where there is no fork, or a GPU, which does not survive one."""
    if torch.cuda.is_available() or "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["lab.serve.worker", "lab.serve.warm"])
    return context


class Workers:
    """The worker processes of one server."""

    def __init__(self) -> None:
        self._processes: dict[str, BaseProcess] = {}
        self._lock = threading.Lock()
        self._admission = threading.RLock()  # who asks whether there is room also takes it, before another one asks
        self._died: Counter[str] = Counter()  # how often workers of these runs died before they had taken them
        self._context = children()
        self._room = True  # for more runs on the disk, as it was last looked at
        self._looked_after = False
        self._more = threading.Event()  # there are new runs in the queue

    def open(self) -> None:
        """Warm the processes up and look after the queue from now on. Returns at once."""
        self._looked_after = True
        threading.Thread(target=self._look_after, name="workers", daemon=True).start()

    def start(self, run: Run, tokenizer: Tokenizer | None = None) -> RunFolder:
        """Put a run into the queue, and start it at once where a core is free."""
        return self.start_all([run], tokenizer)[0]

    def start_all(self, new: Sequence[Run], tokenizer: Tokenizer | None = None) -> list[RunFolder]:
        """As ``start``, for several runs of one owner: all of them or none."""
        sizes = [vocabulary_size(run, tokenizer) for run in new]
        for run, size in zip(new, sizes, strict=True):
            bearable(run, size)
        notes = [forecast(run, size).note for run, size in zip(new, sizes, strict=True)]
        made: list[RunFolder] = []
        with self._admission:
            self._admit(new[0].owner, len(new))
            try:
                for run, note in zip(new, notes, strict=True):
                    made.append(RunFolder.create(run, tokenizer=tokenizer, documents={NOTED: note}))
                for folder in made:
                    write(folder.path / "ticket", f"{time.time():.6f}")
            except BaseException:
                for folder in made:
                    shutil.rmtree(folder.path, ignore_errors=True)
                raise
        self._begin()
        return made

    def _admit(self, owner: str, more: int, *, new: bool = True) -> None:
        """Raise SettingsError unless the owner may have so many more runs under way, which are ``new`` or there
        already."""
        allowed = limits()
        own = [folder for folder in runs() if folder.run_owner == owner]
        busy = [folder for folder in own if folder.status() in GOING]
        if len(busy) + more > allowed.own_waiting:
            raise SettingsError(
                f"you have {len(busy)} runs under way, which is the most here: stop one, or wait for it",
                f"你已有 {len(busy)} 个训练在进行，这里最多如此：请停止一个或等待其结束",
            )
        if new and len(own) + more > allowed.own_runs:
            raise SettingsError(
                f"you have {len(own)} runs, which is the most here: delete one first",
                f"你已有 {len(own)} 个训练记录，这里最多如此：请先删除一个",
            )
        if new:
            self._need_room()
        if len(self.queue()) + more > allowed.waiting:
            raise SettingsError("too many runs are waiting: try again in a while", "排队的训练过多：请稍后再试")

    def _need_room(self) -> None:
        self._room = self._room or make_room()  # where there was none somebody may have deleted a run since
        if not self._room:
            raise SettingsError(
                "the runs that are kept here fill the disk's room for them: delete some of yours, or come back "
                "tomorrow, when old ones have been deleted",
                "这里保存的训练已占满可用空间：请删除一些自己的训练，或等旧训练清理后明天再来",
            )

    def start_study(self, study: Study) -> RunFolder:
        """Put a study into the queue. Each owner has one under way, and keeps the newest few."""
        with self._admission:
            own = self._studies_of(study.owner)
            self._need_room()
            for folder in own[OWN_STUDIES - 1 :]:
                folder.delete()
            folder = RunFolder(home() / f"study-{uuid.uuid4().hex[:10]}")
            folder.path.mkdir(parents=True)
            write(folder.path / STUDY, json.dumps(study.dump() | {"created": time.time()}, ensure_ascii=False))
            write(folder.path / "ticket", f"{time.time():.6f}")
        self._begin()
        return folder

    def resume_study(self, folder: RunFolder) -> None:
        """Let a study that has ended early go on; it is its owner's only one under way."""
        with self._admission:
            self._studies_of(folder.document(STUDY).get("owner", ""))
            self._queue_again(folder)
        self._begin()

    def _studies_of(self, owner: str) -> list[RunFolder]:
        """The owner's studies, the newest first. Raises SettingsError where another one can not begin now."""
        own = [folder for folder in studies() if folder.document(STUDY).get("owner") == owner]
        if any(folder.status() in GOING for folder in own):
            raise SettingsError(
                "one of your studies is under way: stop it, or wait for it",
                "你已有一项对照实验在进行：请停止或等待其结束",
            )
        if len(self.queue()) + 1 > limits().waiting:
            raise SettingsError("too many runs are waiting: try again in a while", "排队的训练过多：请稍后再试")
        return own

    def resume(self, folder: RunFolder) -> None:
        """Put a run that was stopped, interrupted or failed back into the queue."""
        with self._admission:
            if folder.status() in ENDED_EARLY:
                self._admit(folder.run_owner, 1, new=False)
                self._queue_again(folder)
        self._begin()

    def _queue_again(self, folder: RunFolder) -> None:
        if folder.status() in ENDED_EARLY:
            folder.reopen()
            self._died.pop(folder.name, None)
            write(folder.path / "ticket", f"{time.time():.6f}")

    def queue(self) -> list[RunFolder]:
        """The runs that wait, the longest waiting first."""
        return [RunFolder(ticket.parent) for ticket in sorted(home().glob("*/ticket"), key=_since)]

    def place(self, folder: RunFolder) -> int:
        """How many runs are ahead of this one in the queue."""
        return next((n for n, waiting in enumerate(self.queue()) if waiting.path == folder.path), 0)

    def paused(self) -> bool:
        """Whether a run that is paused holds one of the places."""
        return any(RunFolder(home() / name).paused_at() is not None for name in [*self._processes])

    def _begin(self) -> None:
        """Start what waits, at once. The first process of a server takes seconds to warm up, which whoever asks for a
        run does not wait for, if somebody else looks after the queue."""
        if self._looked_after:
            self._more.set()
        else:
            self.tick()

    def tick(self) -> None:
        """Start as many waiting runs as there are free places. Where the system gives no process now, they wait on."""
        with self._lock:
            dead = [name for name, process in self._processes.items() if not process.is_alive()]
            self._died.update(name for name in dead if (home() / name / "ticket").exists())
            self._processes = {name: process for name, process in self._processes.items() if process.is_alive()}
            for folder in self.queue():
                if len(self._processes) >= limits().workers:
                    return
                if folder.name in self._processes:
                    continue
                if self._died[folder.name] >= STILLBORN:
                    _give_up(folder)
                    continue
                given = (str(folder.path), limits().nice, GRACE * limits().seconds)
                process = self._context.Process(target=work, args=given, daemon=True)
                try:
                    process.start()
                except (OSError, EOFError):
                    log.exception("a worker could not be started: it is tried again")
                    return
                self._processes[folder.name] = process

    def _look_after(self) -> None:
        try:
            self._context.Process(target=get_ready, args=(limits().nice,), daemon=True).start()
        except (OSError, EOFError):
            log.exception("the workers could not be warmed up")
        cleared = -CLEARING
        while True:
            self._more.wait(0.3)
            self._more.clear()
            try:
                if time.monotonic() > cleared + CLEARING:
                    cleared = time.monotonic()
                    self._room = make_room()
                if self._processes or any(home().glob("*/ticket")):
                    self.tick()
            except Exception:  # whatever it is, the others that wait are not to wait for ever
                log.exception("the queue could not be looked after: it is tried again")


def _give_up(folder: RunFolder) -> None:
    """A run that no worker lives to take has failed."""
    failure = {
        "run": folder.name,
        "ended": "failed",
        "en": "the run could not be begun: its process ended each time before that",
        "zh": "训练无法开始：它的进程每次都提前结束",
        "again": True,
    }
    write(folder.path / "result.json", json.dumps(failure, ensure_ascii=False))
    (folder.path / "ticket").unlink(missing_ok=True)


def _since(ticket: Path) -> float:
    try:
        return float(ticket.read_text())
    except (OSError, ValueError):
        return 0.0
