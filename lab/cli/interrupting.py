"""Ctrl-C while the lab is still being loaded. Inside an import it would become whatever error the imported library
makes of it: until a command begins, the process says so and ends at once. And SIGTERM, for what must be tidied up."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # the exit code of a process that Ctrl-C ended


def _end(_signal: int, _frame: FrameType | None) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def while_loading() -> None:
    """From now on Ctrl-C ends the process, unless whoever started it has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def begun() -> None:
    """From now on Ctrl-C is a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def terminable() -> Iterator[None]:
    """In here a request to end (SIGTERM) is what Ctrl-C is, so that whatever was started is ended, too."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
