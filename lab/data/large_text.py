"""Texts too large for memory: files, each of them one document, read a piece at a time."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lab.batch import Document
from lab.settings import SettingsError

BLOCK = 2**22  # characters that are read at once
_LINE_END, _WORD_END = re.compile(r".*\S(?=\n)", re.DOTALL), re.compile(r".*\S(?= )", re.DOTALL)


@dataclass(frozen=True)
class Stretch:
    """Characters ``start`` up to ``end`` of one file."""

    path: Path
    encoding: str
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def blocks(self) -> Iterator[str]:
        """The text, line ends as one line feed each. Raises SettingsError where it is in another encoding."""
        try:
            with self.path.open(encoding=self.encoding) as file:  # universal newlines
                for start in range(0, self.start, BLOCK):
                    file.read(min(BLOCK, self.start - start))
                for start in range(self.start, self.end, BLOCK):
                    yield file.read(min(BLOCK, self.end - start))
        except UnicodeDecodeError:
            raise SettingsError(
                f"{str(self.path)!r} begins as {self.encoding} but does not go on so; save it as UTF-8",
                f"{str(self.path)!r} 的开头是 {self.encoding}，后文却不是；请将其另存为 UTF-8",
            ) from None

    def pieces(self, characters: int) -> Iterator[tuple[str, bool]]:
        """The text in pieces of so many characters at most, and whether each is the last.

        A piece ends where a line does: there a sentence ends, and a token. Only a text without lines is cut between two
        words, and one without blanks anywhere.
        """
        held = ""
        for block in self.blocks():
            held += block
            while len(held) > characters:
                seam = _LINE_END.match(held, 0, characters) or _WORD_END.match(held, 0, characters)
                at = seam.end() if seam else characters
                yield held[:at], False
                held = held[at:]
        if held:
            yield held, True


@dataclass(frozen=True)
class LargeText:
    """Documents of which no more than a piece is ever held."""

    files: Mapping[Path, str]  # and their encodings

    def beginning(self, characters: int) -> list[Document]:
        """The first documents, so many characters of them."""
        documents = list[Document]()
        for document in self.documents:
            left = characters - sum(len(earlier.text) for earlier in documents)
            if left <= 0:
                break
            first = replace(document, end=min(left, document.end))
            documents.append(Document("".join(first.blocks())))
        return documents

    @property
    def digest(self) -> str:
        """A digest of everything that is read: another text is another digest."""
        return self._scanned[0]

    @property
    def documents(self) -> tuple[Stretch, ...]:
        """Every file that holds more than white space, as a whole."""
        return self._scanned[1]

    @cached_property
    def _scanned(self) -> tuple[str, tuple[Stretch, ...]]:
        """The text read once from end to end, to know how long it is and that all of it can be read."""
        digest, documents = hashlib.sha256(), list[Stretch]()
        for path, encoding in self.files.items():
            whole, length, blank = Stretch(path, encoding, 0, path.stat().st_size), 0, True
            for block in whole.blocks():
                if "\0" in block:
                    raise SettingsError(
                        f"{str(path)!r} is a binary file, not a text file", f"{str(path)!r} 是二进制文件，不是文本文件"
                    )
                length, blank = length + len(block), blank and not block.strip()
                digest.update(block.encode())
            digest.update(b"\0")
            if not blank:
                documents.append(replace(whole, end=length))
        if not documents:
            raise SettingsError("the text is empty", "文本为空")
        return digest.hexdigest(), tuple(documents)

    def split(self, share: float, enough: int, near: int) -> tuple[list[Stretch], list[Stretch]]:
        """A ``share`` of the text to learn from and the rest: whole documents where there are ``enough``, else a cut at
        the nearest end of a line, at most ``near`` characters on."""
        documents = [*self.documents]
        if len(documents) >= enough:
            at = min(round(len(documents) * share), len(documents) - 1)
            return documents[:at], documents[at:]
        left = round(sum(map(len, documents)) * share)
        for number, document in enumerate(documents):
            if left >= len(document) and number < len(documents) - 1:
                left -= len(document)
                continue
            following = "".join(replace(document, start=left, end=min(left + near, document.end)).blocks())
            at = left + following.find("\n") + 1
            first, rest = replace(document, end=at), replace(document, start=at)
            return [*documents[:number], first], [part for part in (rest, *documents[number + 1 :]) if len(part)]
        return documents, []
