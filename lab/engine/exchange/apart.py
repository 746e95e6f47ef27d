"""One call in a process of its own, under limits of time and memory: for strangers' files.

A hostile tokenizer can abort the process that parses it, or keep it busy for ever; nothing of the kind may happen to
the lab. The child loads no torch, so that a call costs a fraction of a second. Arguments and result travel as JSON.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from lab.settings import SettingsError

MEMORY = 2**29  # bytes of addresses for a small file, with those of the interpreter
PROCESSOR = 4  # seconds of computing
BESIDES = 100  # bytes of memory that an honest tokenizer takes for each byte of its file
PACE = 2**22  # bytes of an honest file that are read in a second, on a slow machine
WALL = 30.0  # seconds on the clock, for machines that are busy with other things
_ROOT = Path(__file__).resolve().parents[3]
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def apart(function: str, *arguments: Any, what: tuple[str, str], size: int = 0) -> Any:
    """Call ``"lab.module:name"`` in a child and give back its result. ``what`` is read there, in both languages, and
    has ``size`` bytes, by which the limits grow.

    Raises SettingsError with the child's own sentence, or one that says that ``what`` took too much or broke it.
    """
    document = json.dumps({"function": function, "arguments": arguments, "size": size}).encode()
    environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": str(_ROOT), "TOKENIZERS_PARALLELISM": "false"}
    command = [sys.executable, "-m", "lab.engine.exchange.apart"]
    try:
        done = subprocess.run(command, input=document, env=environment, capture_output=True, timeout=WALL)
    except subprocess.TimeoutExpired:
        raise _too_much(what) from None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise _too_much(what) from None
    if "en" in answer:
        raise SettingsError(answer["en"], answer["zh"])
    return answer["result"]


def _too_much(what: tuple[str, str]) -> SettingsError:
    return SettingsError(
        f"{what[0]} takes more time or memory to read than any honest one, or breaks what reads it: it was not read",
        f"读取{what[1]}所需的时间或内存超出正常范围，或会使读取程序崩溃，已放弃读取",
    )


def _limit(size: int) -> None:
    """The limits of this process, where the system has such."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:  # Windows: the clock alone limits
        return
    memory, processor = MEMORY + BESIDES * size, PROCESSOR + size // PACE
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, processor), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(kind, (most, most))


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    module, _, name = asked["function"].partition(":")
    try:
        _limit(asked["size"])
        return {"result": getattr(importlib.import_module(module), name)(*asked["arguments"])}
    except SettingsError as error:
        return {"en": error.en, "zh": error.zh}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_answer(json.load(sys.stdin))))
