"""Statistics of a corpus: how large it is, in which scripts it is written, and what stands in it twice."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from lab.batch import Document
from lab.tokenizers.parts.chinese_characters import chinese_of

WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
KEPT = 200_000  # kinds of words that are told apart; a megabyte of noise may have more


@dataclass
class CorpusStatistics:
    """Counts over documents. ``words`` are those of scripts that put blanks between them."""

    documents: int = 0
    duplicates: int = 0  # documents that stood there before, word for word
    characters: int = 0
    size: int = 0  # bytes in UTF-8
    lines: int = 0
    longest_line: int = 0  # characters
    chinese: int = 0  # characters
    latin: int = 0  # letters
    words: int = 0
    nats: float | None = None  # -log p of all of it, where that is known
    _kinds: Counter[str] = field(default_factory=Counter, repr=False)
    _characters: set[str] = field(default_factory=set, repr=False)
    _seen: set[bytes] = field(default_factory=set, repr=False)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "CorpusStatistics":
        """Of all the documents, which are read once."""
        counted, surprisals = cls(), list[float | None]()
        for document in documents:
            counted._add(document.text)
            surprisals.append(document.nats)
        nats = [surprisal for surprisal in surprisals if surprisal is not None]
        counted.nats = sum(nats) if nats and len(nats) == len(surprisals) else None
        return counted

    def _add(self, text: str) -> None:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        self.documents += 1
        self.duplicates += digest in self._seen
        self._seen.add(digest)
        self.characters += len(text)
        self.size += len(text.encode("utf-8", "surrogatepass"))
        lines = text.removesuffix("\n").split("\n") if text else []  # a line may end in "\n", and need not
        self.lines += len(lines)
        self.longest_line = max([self.longest_line, *map(len, lines)])
        times = Counter(text)
        chinese = chinese_of(times)
        self.chinese += sum(times[character] for character in chinese)
        self._characters |= chinese
        self.latin += len(LATIN.findall(text))
        words = WORD.findall(text.translate(dict.fromkeys(map(ord, chinese), " ")).lower())
        self.words += len(words)
        if len(self._kinds) < KEPT:
            self._kinds.update(words)

    @property
    def kinds(self) -> int:
        """How many different words there are."""
        return len(self._kinds)

    @property
    def different(self) -> int:
        """How many different Chinese characters there are."""
        return len(self._characters)

    def dump(self) -> dict[str, Any]:
        """The counts as a document."""
        plain = {name: value for name, value in asdict(self).items() if not name.startswith("_")}
        return {**plain, "different_words": self.kinds, "different_characters": self.different}
