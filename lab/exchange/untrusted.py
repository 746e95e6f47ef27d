"""Untrusted files: looked at in the sandbox, under limits that grow with their size."""

from typing import Any

from lab.sandbox import Limits, Sentence, call

MEMORY = 2**29  # bytes of addresses for a small file
PROCESSOR = 4  # seconds of computing
BESIDES = 100  # bytes of memory that an honest tokenizer takes for each byte of its file
PACE = 2**22  # bytes of an honest file that are read in a second, on a slow machine
WALL = 30.0  # seconds on the clock, for machines that are busy with other things


def read_apart(function: str, *arguments: Any, what: Sentence, size: int = 0) -> Any:
    """Call ``"lab.module:name"``, which reads ``what`` (in both languages) of ``size`` bytes, in the sandbox.

    Raises SettingsError with its own sentence, or one that says that ``what`` took too much or broke what read it.
    """
    refusal = (
        f"to read {what[0]} takes more time or memory than any honest file, or breaks what reads it: not read",
        f"读取{what[1]}所需的时间或内存超出正常范围，或会使读取程序崩溃，已放弃读取",
    )
    limits = Limits(seconds=WALL, processor=PROCESSOR + size // PACE, memory=MEMORY + BESIDES * size)
    return call(function, *arguments, limits=limits, late=refusal, broken=refusal)
