"""Training steps of several models in turns, each model in a process of its own.

Whatever else the machine does in the meantime then slows all of them down alike, and the memory of each is its own.
"""

import json
import time
from collections.abc import Sequence
from typing import Any

from lab.analysis.measure import Step, steps
from lab.runs.run import Run
from lab.serve.places import waiting
from lab.serve.workers import children
from lab.settings import SettingsError

TURNS, FEWEST = 9, 3


@waiting()
def in_turns(runs: Sequence[tuple[Run, int]], threads: int, seconds: float, patience: float) -> list[list[Step]]:
    """The steps of each run and size of vocabulary, as many of each: at most TURNS within ``seconds``, and never fewer
    than FEWEST. Raises SettingsError with a child's own sentence, or where a step is not done in ``patience`` seconds.
    """
    context = children()
    pipes, processes = [], []
    try:
        for run, vocabulary in runs:
            here, there = context.Pipe()
            process = context.Process(
                target=_steps, args=(there, json.dumps(run.dump()), vocabulary, threads), daemon=True
            )
            process.start()
            there.close()
            pipes.append(here)
            processes.append(process)
        for pipe in pipes:
            _step(pipe, patience)  # warms up
        started, by_model = time.monotonic(), [[_step(pipe, patience)] for pipe in pipes]
        while len(by_model[0]) < FEWEST or (len(by_model[0]) < TURNS and time.monotonic() - started < seconds):
            for pipe, steps in zip(pipes, by_model, strict=True):
                steps.append(_step(pipe, patience))
        return by_model
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.kill()
            process.join()


def _step(pipe: Any, patience: float) -> Step:
    try:
        pipe.send_bytes(b"step")
        answer = json.loads(pipe.recv_bytes()) if pipe.poll(patience) else None
    except (EOFError, OSError):
        answer = None
    if answer is None:
        raise SettingsError(
            "a step took too long or too much memory here: choose smaller sizes",
            "这一步耗时过长或内存不足：请减小规模",
        )
    if "en" in answer:
        raise SettingsError(answer["en"], answer["zh"])
    return Step(**answer)


def _steps(pipe: Any, run: str, vocabulary: int, threads: int) -> None:
    """In the child: a step whenever one is asked for."""
    taken = steps(Run.load(json.loads(run)), vocabulary, threads)
    try:
        while pipe.recv_bytes():
            step = next(taken)
            pipe.send_bytes(json.dumps({"seconds": step.seconds, "memory": step.memory}).encode())
    except SettingsError as error:
        pipe.send_bytes(json.dumps({"en": error.en, "zh": error.zh}).encode())
    except (EOFError, OSError):  # nobody asks any more
        pass
