"""The sandbox: a call in a child process under limits, for what may take long, take too much, or break what does it.

A stranger's tokenizer can abort the process that parses it, or keep it busy for ever; nothing of the kind may happen to
the lab. Arguments and result travel as JSON.
"""

import importlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.settings import SettingsError

# Forked from a server that is small, or has loaded what the lab needs: that takes a hundredth of a second.
METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
HOME = "CLOZE_LAB_HOME"
ONE_THREAD = {"TOKENIZERS_PARALLELISM": "false"} | dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
Sentence = tuple[str, str]  # English, Chinese


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a call may take. Where the system has no such limits as the last two (Windows), the clock alone counts."""

    seconds: float = 60.0  # on the clock
    processor: int | None = None  # seconds of computing
    memory: int | None = None  # bytes of addresses, beyond what the child has before the call


def call(
    function: str,
    *arguments: Any,
    limits: Limits = Limits(),
    late: Sentence | None = None,
    broken: Sentence = ("this input broke the process that read it", "处理该输入的进程崩溃了"),
) -> Any:
    """Call ``"lab.module:name"`` with plain arguments in a child process and give back its plain result.

    The child finds runs and caches where they are found here. Raises SettingsError with the child's own sentence, or
    with the one for a call that took too long (``late``) or broke down (``broken``).
    """
    with _asked(function, arguments, limits, several=False) as pipe:
        return _next(pipe, limits.seconds, limits, late, broken)["result"]


def stream(
    function: str,
    *arguments: Any,
    limits: Limits = Limits(),
    late: Sentence | None = None,
    broken: Sentence = ("the process that worked this out has ended", "计算进程已意外结束"),
) -> Iterator[Any]:
    """As ``call``, of a generator: its values as they come, all of them within the limits. Who stops asking ends it."""
    until = time.monotonic() + limits.seconds
    with _asked(function, arguments, limits, several=True) as pipe:
        while "over" not in (answer := _next(pipe, until - time.monotonic(), limits, late, broken)):
            yield answer["result"]


@contextmanager
def _asked(function: str, arguments: tuple[Any, ...], limits: Limits, *, several: bool) -> Iterator[Any]:
    """The end of a pipe at which a child's answers arrive; it has no child any more outside the ``with``."""
    context: Any = multiprocessing.get_context(METHOD)
    here, there = context.Pipe(duplex=False)
    asked = (function, json.dumps(arguments), limits, several, os.environ.get(HOME))
    process = context.Process(target=_answer, args=(there, *asked), daemon=True)
    process.start()
    there.close()
    try:
        yield here
    finally:
        here.close()
        process.kill()
        process.join()


def _next(pipe: Any, seconds: float, limits: Limits, late: Sentence | None, broken: Sentence) -> dict[str, Any]:
    try:
        answer: dict[str, Any] | None = json.loads(pipe.recv_bytes()) if seconds > 0 and pipe.poll(seconds) else None
    except (EOFError, OSError):
        raise SettingsError(*broken) from None
    if answer is None:
        raise SettingsError(*(late or _too_long(limits.seconds)))
    if "en" in answer:
        raise SettingsError(answer["en"], answer["zh"])
    return answer


def _too_long(seconds: float) -> Sentence:
    return (
        f"this took longer than {seconds:.0f} seconds and was stopped: give it less text",
        f"耗时超过 {seconds:.0f} 秒，已停止：请减少文本",
    )


def _answer(pipe: Any, function: str, arguments: str, limits: Limits, several: bool, home: str | None) -> None:
    """In the child: the call, and its result, one by one where they are ``several``, or its sentence as JSON."""
    if home is not None:
        os.environ[HOME] = home  # the server that forks children may be older than this setting
    module, _, name = function.partition(":")

    def tell(answer: dict[str, Any]) -> None:
        pipe.send_bytes(json.dumps(answer).encode())

    try:
        called = getattr(importlib.import_module(module), name)
        _confine(limits)
        result = called(*json.loads(arguments))
        for each in result if several else [result]:
            tell({"result": each})
        if several:
            tell({"over": True})
    except SettingsError as error:
        tell({"en": error.en, "zh": error.zh})
    except MemoryError:
        tell({"en": "there is not enough memory for this input", "zh": "内存不足，无法处理该输入"})
    except BrokenPipeError:
        return  # whoever asked has been killed, and hears nothing any more
    pipe.close()


def _confine(limits: Limits) -> None:
    """Set this process's limits of memory and computing, where the system has such."""
    try:
        import resource  # noqa: PLC0415  Windows has none

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.memory is not None:
        os.environ.update(ONE_THREAD)  # every thread takes addresses
        most = pages * resource.getpagesize() + limits.memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    if limits.processor is not None:
        spent = sum(os.times()[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + limits.processor, int(spent) + limits.processor))
