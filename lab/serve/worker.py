"""The worker process, which trains one run, or goes through one study. It answers to the folder alone, whatever becomes
of the pages."""

import contextlib
import gc
import json
import math
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from lab.analysis.forecast import take_pace
from lab.catalog import CORPORA
from lab.data.corpus import Tell, prepared
from lab.experiments.study import STUDY, Pause, conduct
from lab.runs.files import write
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.serve.preparing import preparing
from lab.settings import SettingsError
from lab.training.process_memory import ran_out
from lab.training.train import Step, train


def work(path: str, nice: int = 0, seconds: float = math.inf) -> None:
    """Train the queued run in ``path`` to its end, or until ``seconds`` are over, whatever the run itself has planned.
    So for a study. Whatever goes wrong is written into the folder in one sentence."""
    folder = RunFolder(Path(path))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the server, which then ends us
    signal.signal(signal.SIGTERM, lambda *_: folder.ask_to_stop())
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    gc.freeze()
    with open(folder.path / "worker.log", "a", encoding="utf-8") as log, contextlib.redirect_stderr(log):
        try:
            with preparing(folder) as (tell, ready):
                for step in _job(folder, tell):
                    ready.set()
                    if step.seconds > seconds:
                        folder.ask_to_stop()
        except SettingsError:
            sys.exit(2)  # train has written the sentence
        except Exception as error:
            traceback.print_exc()
            if ran_out(error):
                _failed(folder, "there is not enough memory for this run: choose smaller sizes", "内存不足：请减小规模")
            if isinstance(error, OSError):
                _failed(
                    folder,
                    "the disk cannot be written: free some space and resume",
                    "磁盘无法写入：请清出空间后继续",
                    again=True,
                )
            _failed(
                folder,
                "the run ended on an error of the lab; its log says more",
                "训练因程序内部错误而结束，详情见日志",
                again=True,
            )


def _job(folder: RunFolder, tell: Tell) -> Iterator[Step | Pause]:
    if (folder.path / STUDY).is_file():
        yield from conduct(folder)
    else:
        yield from train(RunFolder.open(folder.path), queued=True, tell=tell)


def get_ready(nice: int = 0) -> None:
    """What the first process does: its start brings the fork server up with torch loaded; it then times a few steps, so
    that the first forecast knows this machine, and fills the cache for the built-in corpora, so that the first run on
    each starts as fast as the second."""
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    with contextlib.suppress(OSError):
        take_pace()
    server = multiprocessing.parent_process()
    for corpus in CORPORA:
        if server is not None and not server.is_alive():
            return
        if corpus.language:
            prepared(Run(model="bert", corpus=corpus.name, tokenizer="byte_bpe", training={"steps": 1}))


def _failed(folder: RunFolder, en: str, zh: str, *, again: bool = False) -> NoReturn:
    """Say why a run has failed, and whether it may be tried ``again`` as it is."""
    document = {"run": folder.name, "ended": "failed", "en": en, "zh": zh, "again": again}
    with contextlib.suppress(OSError):
        write(folder.path / "result.json", json.dumps(document, ensure_ascii=False))
    sys.exit(1)
