"""Arms that stay alive from turn to turn and rest while another works.

To start a process and to load a library takes as long as many steps: an arm that starts once leaves more of the time
for what is measured. It waits for a line on its standard input, works for one turn, and prints an answer.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lab.bench.arms.process import broken, command_of, environment_of

ANSWER = "answer: "  # what a library prints beside is passed over
PATIENCE = 20.0  # seconds for an arm that was told to end


@contextmanager
def resting(arm: str, words: Sequence[str], threads: int) -> Iterator[Callable[[], dict[str, Any]]]:
    """An arm in a process of its own: each call lets it work for one turn and gives its answer. Raises SettingsError
    where it broke down."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as complaints,
        subprocess.Popen(
            command_of(arm, words),
            env=environment_of(threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            bufsize=1,
        ) as process,
    ):

        def turn() -> dict[str, Any]:
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write("\n")
                answer = next(line for line in process.stdout if line.startswith(ANSWER))
            except (BrokenPipeError, StopIteration):
                process.wait(PATIENCE)
                complaints.seek(0)
                raise broken(arm, complaints.read()) from None
            found: dict[str, Any] = json.loads(answer.removeprefix(ANSWER))
            return found

        try:
            yield turn
        finally:
            process.kill()


def rest() -> None:
    """Wait for one's turn. Ends the process where nobody asks any more."""
    if not sys.stdin.readline():
        sys.exit(0)


def answer(**document: Any) -> None:
    """Say what one's turn came to."""
    print(ANSWER + json.dumps(document), flush=True)


class Turns:
    """Times the steps of an arm, and lets it rest behind the last step of each turn."""

    def __init__(self, ends: Sequence[int]) -> None:
        self.ends, self.seconds = set(ends), list[float]()
        rest()
        self.since = time.perf_counter()

    def took(self, step: int) -> None:
        """This step has just ended."""
        self.seconds.append(time.perf_counter() - self.since)
        if step in self.ends:
            answer(seconds=self.seconds)
            self.seconds = []
            rest()
        self.since = time.perf_counter()
