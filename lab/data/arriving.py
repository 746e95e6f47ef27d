"""Training while tokenizing: the shards of a large text are given out while a process of its own still makes them.

Batches read such a text stretch by stretch, so that batch number n needs no more than the text up to the end of its
stretch; where they are ahead of the tokenizer they wait. What the process has done stays, whoever ends it.

M tokens   S sentences
"""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import filelock

from lab import sandbox
from lab.data.large_text import Stretch
from lab.data.shards import Shards, complete
from lab.data.stream import Stream
from lab.runs.files import is_full, no_room
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer

LOOK = 0.5  # seconds between two looks at what the process of another run has done
UNLIMITED = sandbox.Limits(seconds=2_000_000)


class Arriving:
    """The part of a text from which a run learns, as it comes."""

    def __init__(self, shards: Shards, part: Sequence[Stretch], read: Callable[[int], None]) -> None:
        """Begin to read what is not there yet. ``read`` hears how many more characters have been read."""
        self._shards, self._read = shards, read
        text = [[str(each.path), each.encoding, each.start, each.end] for each in part]
        self._process = sandbox.stream(
            "lab.data.arriving:read_on",
            *(str(shards.folder), shards.tokenizer.save(), shards.piece, text),
            limits=UNLIMITED,
            broken=("the process that read the text has ended: resume the run", "读取文本的进程已结束：请继续训练"),
        )
        shards.look()
        if not shards.closed and multiprocessing.current_process().daemon:
            complete(shards, part, read)  # a web server's worker may have no children: it waits for the whole text
        if not shards.closed:
            self._wait()  # for the process to have begun, not for any text
        self._there: Stream | None = None

    @property
    def closed(self) -> bool:
        """Whether the whole part has been read."""
        return self._shards.closed

    def until(self, ids: int, sentences: int = 0) -> Stream:
        """The stream with so many ids and sentences, or with all there are. Waits for them. Raises SettingsError where
        they do not come: the disk is full, or the process that reads has ended."""
        shards = self._shards
        while not shards.closed and (shards.total("ids") < ids or shards.total("sentences") < sentences):
            self._wait()
            self._there = None
        self._there = self._there or shards.stream()
        return self._there

    def _wait(self) -> None:
        """Wait for word from the process, and look what there is."""
        characters = next(self._process, None)
        self._shards.look()
        if characters is None and not self._shards.closed:
            raise SettingsError(
                "what was read of the text is damaged on the disk: resume the run",
                "已读取的文本在磁盘上损坏：请继续训练",
            )
        self._read(characters or 0)


def read_on(folder: str, tokenizer: str, piece: int, text: list[tuple[str, str, int, int]]) -> Iterator[int]:
    """In a process of its own: make the shards that are lacking. Says of each piece how many characters it has; while
    the process of another run makes them, a zero now and then."""
    os.environ.update(sandbox.ONE_THREAD)  # the other cores train
    shards = Shards(Path(folder), Tokenizer.load(tokenizer), piece)
    part = [Stretch(Path(path), encoding, start, end) for path, encoding, start, end in text]
    while True:
        try:
            shards.lock.acquire(timeout=LOOK)
        except filelock.Timeout:
            yield 0
            continue
        try:
            yield from shards.grow(part)
        except OSError as error:
            if is_full(error):
                raise no_room() from None
            raise SettingsError(
                f"the text cannot be read further: {error.strerror}", f"无法继续读取文本：{error.strerror}"
            ) from None
        finally:
            shards.lock.release()
        return
