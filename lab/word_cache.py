"""A cache of words: the ids of a word that was read before are looked up, and not worked out again.

A few thousand words are most of any text (Zipf's law), and where a tokenizer ends a token at every blank, the ids of a
text are those of its words, one after the other. A word is here what stands between two such places, with the white
space before it. A text without blanks has no words that come again: it is left to the tokenizer.

M words of all texts   N ids of all texts   W different words
"""

import re
import threading
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

MOST = 2**19  # different words, some 100 MB; then the cache is begun anew
LONG = 12  # characters from which on words are, on average, too long to come again
# White space that is neither a blank nor a new line ends no word, for a token may hold it.
_WORD = re.compile(r"\s*\S+(?:[^\S \n]\s*\S+)*(?:[^\S \n]\s*\Z)?|\s+")

Ids = NDArray[np.int64]
Encode = Callable[[Sequence[str]], Sequence[Sequence[int]]]


class _Numbers(dict[str, int]):
    """The number of each word; a ``new`` one gets the next."""

    def __init__(self) -> None:
        self.new: list[str] = []

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self.new.append(word)
        return number


class WordCache:
    """The words that a tokenizer has read so far. Threads may share it."""

    def __init__(self, encode: Encode) -> None:
        """``encode`` gives the ids of many words."""
        self._encode = encode
        self._lock = threading.Lock()
        self._forget()

    def __reduce__(self) -> tuple[type["WordCache"], tuple[Encode]]:
        return WordCache, (self._encode,)  # a copy begins without words, and with a lock of its own

    def _forget(self) -> None:
        self._numbers = _Numbers()
        self._starts = self._lengths = self._ids = np.zeros(0, dtype=np.int64)  # (W,), (W,), (all their ids,)

    def read(self, texts: Sequence[str]) -> list[Ids] | None:
        """The ids of each text, (T,); None where their words are so long that few would come again."""
        found = [_WORD.findall(text) for text in texts]
        counts = np.array([len(words) for words in found])
        if counts.sum() * LONG < sum(map(len, texts)):
            return None
        with self._lock:
            if len(self._numbers) > MOST:
                self._forget()
            words = chain.from_iterable(found)
            numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int64, counts.sum())  # (M,)
            if self._numbers.new:
                self._learn()
            starts, lengths = self._starts[numbers], self._lengths[numbers]  # (M,)
            before = np.cumsum(lengths) - lengths  # (M,) how many ids stand before each word
            ids = self._ids[np.repeat(starts - before, lengths) + np.arange(lengths.sum())]  # (N,)
        ends = np.append(before, len(ids))[np.cumsum(counts)]
        return np.split(ids, ends[:-1])

    def _learn(self) -> None:
        """Work out the ids of the words that have just got their numbers."""
        new = self._encode(self._numbers.new)
        self._numbers.new = []
        lengths = np.fromiter(map(len, new), np.int64, len(new))
        ids = np.fromiter(chain.from_iterable(new), np.int64, lengths.sum())
        self._starts = np.append(self._starts, len(self._ids) + np.cumsum(lengths) - lengths)
        self._lengths = np.append(self._lengths, lengths)
        self._ids = np.append(self._ids, ids)
