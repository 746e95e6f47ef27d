"""Vocabulary size sweep: what a text costs as the vocabulary grows, in tokens, bits and lost bytes.

Nine tenths of a corpus teach the tokenizers; what they cost is counted on the last tenth, which none of them has seen.

V tokens of the vocabulary   W different words   N tokens of all different words
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.batch import Document
from lab.data.corpus import beginning, split
from lab.entries import TokenizerEntry
from lab.settings import SettingsError
from lab.text import clean, stretches
from lab.tokenizer import Tokenizer

SIZES = (300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 50_000)
READ = 4_000_000  # characters of a corpus; more make no other curve, only a slower one
SPELT = 8.0  # bits for a byte that is not written down at all: any of 256
_BLANK = re.compile(r" (?=\S)")


@dataclass(frozen=True)
class SizeCost:
    """What one size of the vocabulary costs on text that was not learnt from."""

    size: int  # fewer than were asked for where the corpus has no more tokens
    tokens: float  # for each character
    bits: float  # for each byte, knowing only how often each token occurs; a lost byte costs ``SPELT``
    lost: float  # the share of the bytes that decoding does not give back


@dataclass(frozen=True)
class VocabularySweep:
    """The costs of one kind of tokenizer on one corpus, by vocabulary size."""

    kind: str
    characters: int  # that were learnt from
    held: int  # characters that the costs were counted on
    points: tuple[SizeCost, ...]
    ends: bool  # whether the corpus has no more tokens than the last size

    def dump(self) -> dict[str, Any]:
        """As plain data."""
        points = [[size, *(round(cost, 5) for cost in costs)] for size, *costs in map(astuple, self.points)]
        return {
            "kind": self.kind,
            "characters": self.characters,
            "held": self.held,
            "points": points,
            "ends": self.ends,
        }


def sweep(kind: TokenizerEntry, documents: Sequence[Document], sizes: Sequence[int] = SIZES) -> VocabularySweep:
    """What the sizes of one kind of tokenizer cost, all from one training where the kind allows it."""
    train, held = ([document.text for document in part] for part in split(beginning(documents, READ)))
    if not any(map(str.strip, held)) or not any(map(str.strip, train)):
        raise SettingsError("the text is too short for a curve: add a few lines", "文本太短，画不出曲线：请多加几行")
    points = list(_measured(kind.growing(train, sizes), train, held))
    ends = points[-1].size < max(sizes)
    return VocabularySweep(kind.name, sum(map(len, train)), sum(map(len, held)), tuple(points), ends)


def _measured(tokenizers: Iterable[Tokenizer], train: Sequence[str], held: Sequence[str]) -> Iterator[SizeCost]:
    """All sizes of one kind cut a text into the same words, so that each different word is encoded once."""
    words: list[str] = []
    for tokenizer in tokenizers:
        if not words:
            learnt, seen = (_words(tokenizer, texts) for texts in (train, held))
            words = list(learnt | seen)
            times = np.array([[part[word] for word in words] for part in (learnt, seen)], dtype=float)  # (2, W)
            characters, size = sum(map(len, held)), sum(len(clean(text).encode()) for text in held)
            blanks = sum(len(_BLANK.findall(text)) for text in held) if tokenizer.opens_blank else 0
        ids = tokenizer.encode_all(words)
        lengths = [len(tokens) for tokens in ids]
        n = tokenizer.vocabulary.size
        flat = np.concatenate(ids)  # (N,)
        learnt_counts, held_counts = (
            np.bincount(flat, np.repeat(part, lengths), minlength=n).astype(np.float64) for part in times
        )  # (V,) each
        lost = size - blanks - float(held_counts @ _spelt(tokenizer))
        yield SizeCost(
            n,
            float(held_counts.sum()) / characters,
            (_bits(learnt_counts, held_counts) + SPELT * lost) / size,
            lost / size,
        )


def _words(tokenizer: Tokenizer, texts: Iterable[str]) -> Counter[str]:
    """How often each word occurs that the tokenizer cuts a text into before it looks for tokens."""
    inner: Any = tokenizer.inner
    counts: Counter[str] = Counter()
    for text in texts:
        for part in stretches(clean(text)):
            plain = inner.normalizer.normalize_str(part) if inner.normalizer else part
            counts.update(plain[first:last] for _, (first, last) in inner.pre_tokenizer.pre_tokenize_str(plain))
    return counts


def _bits(known: NDArray[np.float64], new: NDArray[np.float64]) -> float:
    """What the new tokens cost whoever knows how often each occurred among the known ones, and takes each to have
    occurred once more than that."""
    return float(new @ -np.log2((known + 1) / (known.sum() + len(known))))


def _spelt(tokenizer: Tokenizer) -> NDArray[np.int64]:
    """The bytes that each id gives back, without a blank that no text need have: (V,)."""
    if not tokenizer.opens_blank:
        return tokenizer.token_bytes
    pieces = tokenizer.pieces(range(tokenizer.vocabulary.size))
    return np.array([len(piece.bytes.removeprefix(b" ")) for piece in pieces], dtype=np.int64)
