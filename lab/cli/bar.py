"""A progress bar that runs along a forecast: through reading, counting and merging alike, of whatever kind."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

BEAT = 0.25  # seconds
_FORM = "{desc} |{bar}| {n:.0f} s of about {total:.0f} s"


@contextmanager
def along(seconds: float, what: str) -> Iterator[None]:
    """While something is done that should take so many ``seconds``, show on standard error how much of them is over.
    Where it takes longer, the bar grows with the time."""
    over = threading.Event()
    with tqdm(total=max(seconds, BEAT), desc=what, file=sys.stderr, bar_format=_FORM, leave=False) as bar:
        ticking = threading.Thread(target=_tick, args=(bar, over), name="bar", daemon=True)
        ticking.start()
        try:
            yield
        finally:
            over.set()
            ticking.join()


def _tick(bar: "tqdm[None]", over: threading.Event) -> None:
    started = time.perf_counter()
    while not over.wait(BEAT):
        bar.n = time.perf_counter() - started
        bar.total = max(bar.total, bar.n)
        bar.refresh()
