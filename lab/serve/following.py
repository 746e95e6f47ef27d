"""Long work in the sandbox that many may ask for: one piece at a time, followed live by all who ask, and kept a while.

A class that presses one button measures once. A visitor who leaves ends nothing: others may be following.
"""

import json
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

from lab import sandbox
from lab.sandbox import Limits
from lab.serve.places import waiting
from lab.serve.workers import children
from lab.settings import SettingsError

log = logging.getLogger("lab.serve")

KEPT_SECONDS, KEPT = 3600.0, 32  # how long results are kept, and of how many pieces of work
LINE = 8  # pieces of work under way or in line
BEAT = 0.1  # seconds between two looks, at most so many results a second


class _Work:
    """One piece of work: what has come of it so far."""

    def __init__(self, function: str, arguments: tuple[Any, ...], limits: Limits) -> None:
        self.asked = (function, arguments, limits)
        self.results: list[Any] = []
        self.error: SettingsError | None = None
        self.over = threading.Event()
        self.began = time.monotonic()

    def do(self) -> None:
        function, arguments, limits = self.asked
        try:
            with _turn:
                children()
                for result in sandbox.stream(function, *arguments, limits=limits):
                    self.results.append(result)
        except SettingsError as error:
            self.error = error
        except Exception:
            log.exception("a measurement failed")
            self.error = SettingsError(
                "the measurement could not be made: try again in a while", "测量无法进行：请稍后再试"
            )
        finally:
            self.over.set()

    @property
    def stands(self) -> bool:
        """Whether who asks now may have these results."""
        late = time.monotonic() > self.began + KEPT_SECONDS
        return not late if not self.over.is_set() else self.error is None and not late


_turn, _lock = threading.Lock(), threading.Lock()
_works: dict[tuple[str, str], _Work] = {}  # the oldest first


def followed(function: str, *arguments: Any, limits: Limits) -> Iterator[list[Any]]:
    """All results of a generator so far, as ``sandbox.stream`` calls it: at once, and again whenever there are more.
    Raises SettingsError where the work failed, or too many are in line."""
    work, seen = _work(function, arguments, limits), -1
    while True:
        over, so_far = work.over.is_set(), list(work.results)
        if len(so_far) > seen:
            seen = len(so_far)
            yield so_far
        if over:
            break
        with waiting():
            work.over.wait(BEAT)
    if work.error:
        raise work.error


def at_hand(function: str, *arguments: Any) -> list[Any] | None:
    """All results, where the work has been done a while ago."""
    with _lock:
        work = _works.get(_named(function, arguments))
    return list(work.results) if work and work.over.is_set() and work.stands else None


def _named(function: str, arguments: tuple[Any, ...]) -> tuple[str, str]:
    return function, json.dumps(arguments)


def _work(function: str, arguments: tuple[Any, ...], limits: Limits) -> _Work:
    name = _named(function, arguments)
    with _lock:
        for old in [key for key, work in _works.items() if not work.stands]:
            del _works[old]
        if name in _works:
            return _works[name]
        if sum(not work.over.is_set() for work in _works.values()) >= LINE:
            raise SettingsError("too many measurements are waiting: try again in a while", "排队的测量过多：请稍后再试")
        while len(_works) >= KEPT:
            del _works[next(key for key, work in _works.items() if work.over.is_set())]
        work = _works[name] = _Work(function, arguments, limits)
    threading.Thread(target=work.do, name="work", daemon=True).start()
    return work
