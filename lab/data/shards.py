"""A corpus larger than memory, in shards: read once, a piece of text at a time, into files of ids mapped into memory.

What came of one piece is a shard, appended to three flat files: ids, where sentences begin, and where passages do. The
index names every shard with its checksum once it is on the disk; who is killed goes on behind the last one named, and a
damaged shard is made anew with all behind it. The folder is named by a digest of the text and the tokenizer, so that a
text that has changed is read again.

The ids are those of the text read at once, for every tokenizer that ends a token where a line ends; one that reads
differently where a text begins does so at each piece.

Training need not wait for the last shard: lab/data/arriving.py gives out what is there, while a process of its own
reads on.

M tokens of the whole stream   S sentences   P passages
"""

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import filelock
import numpy as np
from numpy.typing import NDArray

from lab.data.large_text import LargeText, Stretch
from lab.data.stream import READING, SENTENCES_PER_PASSAGE, Stream, begins, bytes_in, sentences_of
from lab.runs.files import write
from lab.tokenizer import Tokenizer

PIECE = 2**23  # characters of text in a shard
FILES, INDEX = ("ids", "sentences", "passages"), "index.json"
NOTHING = np.zeros(0, dtype=np.int64)
Arrays = dict[str, NDArray[np.int64]]
Shard = dict[str, int]  # how many entries of each file; its checksum; how many sentences of a document not at its end


def shards_of(text: LargeText, parts: Sequence[Sequence[Stretch]], tokenizer: Tokenizer, root: Path) -> list["Shards"]:
    """The shards of each part of a text, those that lie below ``root`` already."""
    identity = f"{READING} {text.digest} {PIECE} {[[*map(len, part)] for part in parts]} {tokenizer.save()}"
    folder = root / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}-shards"
    return [Shards(folder / str(number), tokenizer, PIECE) for number in range(len(parts))]


def complete(shards: "Shards", part: Sequence[Stretch], read: Callable[[int], None]) -> Stream:
    """A whole part of the text as a stream, read now where it is not yet. ``read`` hears how many more characters have
    been read. Raises OSError where the disk is full."""
    with shards.lock:  # a second run on the same text waits, and finds it read
        for characters in shards.grow(part):
            read(characters)
    return shards.stream()


class Shards:
    """The files of one part of the text, and the index of what is in them.

    Whoever holds the ``lock`` may ``grow`` them; whoever only reads asks them to ``look`` for what has come.
    """

    def __init__(self, folder: Path, tokenizer: Tokenizer, piece: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.tokenizer, self.piece = folder, tokenizer, piece
        small = np.uint16 if tokenizer.vocabulary.size <= 2**16 else np.uint32
        self.kinds = dict(zip(FILES, map(np.dtype, (small, np.int64, np.int64)), strict=True))
        self.lock = filelock.FileLock(folder / "lock")
        self.shards: list[Shard] = []
        self.closed = False

    def look(self) -> None:
        """Take in the shards that have been named since, as far as their checksums hold."""
        index = self._index()
        self.shards += self._intact(index["shards"][len(self.shards) :])
        self.closed = index["closed"] and len(self.shards) == len(index["shards"])

    def grow(self, part: Sequence[Stretch]) -> Iterator[int]:
        """Read on to the end of the part: how many characters each piece has, also those that were read before."""
        self.look()
        if not self.closed:
            self._cut()
            pieces = (piece for stretch in part for piece in stretch.pieces(self.piece))
            for number, (text, last) in enumerate(pieces):
                if number == len(self.shards):
                    self._append(*self._encoded(text, last), bytes_in(text))
                yield len(text)
            ends = {name: np.array([self.total(name)]) for name in ("ids", "sentences")}
            self._append({"ids": NOTHING, "sentences": ends["ids"], "passages": ends["sentences"]}, closed=True)

    def stream(self) -> Stream:
        """What is there, mapped into memory. While there is more to come its last sentence has no end."""
        counted = [shard["bytes"] for shard in self.shards if "bytes" in shard]  # earlier versions did not count
        bytes_ = sum(counted) if len(counted) == len(self.shards) else None
        return Stream(self._mapped("ids"), self._mapped("sentences"), self._mapped("passages"), bytes=bytes_)

    def total(self, name: str) -> int:
        """How many entries of a file all shards have together."""
        return sum(shard[name] for shard in self.shards)

    def _encoded(self, text: str, last: bool) -> tuple[Arrays, int]:
        """A shard, and how many sentences of its last document there are so far, if that goes on."""
        ids = self.tokenizer.encode(text)
        edges = np.concatenate([[0], begins(text, sentences_of(text), ids, self.tokenizer)])
        begun = self.shards[-1]["begun"] if self.shards else 0
        # What no token begins in is no sentence, but a document has one.
        held = np.diff(edges, append=len(ids)) > 0
        edges = edges[held] if begun or not last or held.any() else edges[:1]  # (S,)
        opens = np.flatnonzero((begun + np.arange(len(edges))) % SENTENCES_PER_PASSAGE == 0)  # (P,)
        arrays = {
            "ids": np.append(ids, self.tokenizer.vocabulary.end) if last else ids,
            "sentences": edges + self.total("ids"),
            "passages": opens + self.total("sentences"),
        }
        return arrays, 0 if last else begun + len(edges)

    def _append(self, arrays: Arrays, begun: int = 0, bytes_: int = 0, *, closed: bool = False) -> None:
        """Write a shard, and name it only when it is on the disk."""
        checksum = 0
        for name, kind in self.kinds.items():
            data = arrays[name].astype(kind).tobytes()
            checksum = zlib.crc32(data, checksum)
            with self._path(name).open("ab") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        about = {"begun": begun, "bytes": bytes_, "crc": checksum}
        self.shards.append({name: len(arrays[name]) for name in FILES} | about)
        self.closed = closed
        write(self._path(INDEX), json.dumps({"shards": self.shards, "closed": closed}))

    def _cut(self) -> None:
        """Drop what no intact shard holds."""
        for name, kind in self.kinds.items():
            with self._path(name).open("ab") as file:
                file.truncate(self.total(name) * kind.itemsize)

    def _intact(self, shards: Sequence[Shard]) -> list[Shard]:
        """The next shards behind those that are known, as far as their checksums hold."""
        intact = list[Shard]()
        if not shards:
            return intact
        with ExitStack() as stack:
            files = {name: stack.enter_context(self._path(name).open("ab+")) for name in FILES}
            for name, file in files.items():
                file.seek(self.total(name) * self.kinds[name].itemsize)
            for shard in shards:
                checksum = 0
                for name, file in files.items():
                    checksum = zlib.crc32(file.read(shard[name] * self.kinds[name].itemsize), checksum)
                if checksum != shard["crc"]:
                    break
                intact.append(shard)
        return intact

    def _index(self) -> dict[str, Any]:
        try:
            index: dict[str, Any] = json.loads(self._path(INDEX).read_text(encoding="utf-8"))
            return index
        except (OSError, ValueError):
            return {"shards": [], "closed": False}

    def _mapped(self, name: str) -> NDArray[Any]:
        return np.memmap(self._path(name), self.kinds[name], mode="r", shape=(self.total(name),))

    def _path(self, name: str) -> Path:
        return self.folder / name
