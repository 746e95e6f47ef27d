"""A semaphore for handlers: no more compute at once than there are cores, and the others wait in line.

Python runs one thread at a time. Where many compute at once they take the interpreter from each other at every small
operation of a model, and all of them together take many times as long as one after the other.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lab.serve.limits import cores

_places = threading.Semaphore(cores())
_mine = threading.local()


@contextmanager
def at_work() -> Iterator[None]:
    """Inside the ``with`` this thread has one of the places."""
    if getattr(_mine, "place", False):
        yield
        return
    with _places:
        _mine.place = True
        try:
            yield
        finally:
            _mine.place = False


@contextmanager
def waiting() -> Iterator[None]:
    """Inside the ``with``, or in a function so decorated, this thread only waits for another process, and somebody else
    may have its place."""
    if not getattr(_mine, "place", False):
        yield
        return
    _mine.place = False
    _places.release()
    try:
        yield
    finally:
        _places.acquire()
        _mine.place = True
