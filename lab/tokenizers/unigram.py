"""Unigram language model: begin with too many pieces, and drop those the likelihood hardly needs.

Each piece has a probability, and a word may be written in many ways; the likeliest one is read. Expectation and
maximization by turns fit the probabilities; then the quarter of the pieces goes whose loss costs least, until as many
are left as were asked for. A blank is written "▁" and belongs to the word behind it.

Where this file and SentencePiece differ: texts are not normalized (NFKC), so that what is known comes back exactly; a
piece's alternatives are all other ways to write it, not only the best one; the sums have a fixed order, so that the
same text always gives the same pieces.

P pieces   E edges, that is places where a piece may stand in a word   L letters of the longest word   W words
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import tokenizers
from numpy.typing import NDArray
from tokenizers import decoders, models, pre_tokenizers

from lab.catalog import TOKENIZERS
from lab.settings import Settings, knob
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.cutting import WORDS, alphabet, counted, most_common, tidy, without
from lab.tokenizers.parts.growing_sizes import ascending
from lab.vocabulary import SPECIALS, UNKNOWN

LONGEST, KEPT, SEEDS, MANY, READ = 16, 0.75, 8, 60_000, 100_000
EVEN = 3.0  # nats that a letter is taken to cost, so that the chances of long words stay within a float's range


@dataclass(frozen=True, kw_only=True)
class Unigram(Settings):
    """How many pieces are left."""

    vocabulary: int = knob(
        2048,
        f"Vocabulary size, {len(SPECIALS)} special tokens included",
        f"词表大小，含 {len(SPECIALS)} 个特殊词元",
        low=len(SPECIALS) + 1,
        high=65536,
        step=1,
    )


@TOKENIZERS.add(
    "unigram",
    title="Unigram",
    zh=("Unigram", "先列出很多片段，逐步去掉对文本似然影响最小的，再以概率最大的方式切分每个词。"),
    paper="Kudo 2018, section 3.2",
    settings=Unigram,
    order=4,
    keeps="characters",
    ends="pieces",
    growing=lambda texts, sizes: growing_sizes(texts, sizes),
)
def unigram(texts: Iterable[str], s: Unigram) -> Tokenizer:
    """Starts from many pieces, drops those the text's likelihood needs least, and cuts each word in its likeliest way.

    Raises SettingsError if the texts are empty.
    """
    words = counted(_cutter(), tidy(texts))
    return _known(next(learn(words, [s.vocabulary - len(SPECIALS)])))


def growing_sizes(texts: Iterable[str], sizes: Sequence[int]) -> Iterator[Tokenizer]:
    """The tokenizers of these sizes, each on the way from the seeds of the largest one. A training of its own begins
    with fewer seeds, so as to be quicker; sizes with no room for the whole alphabet are trained so."""
    words = counted(_cutter(), tidy(texts))
    counts = _letters(words)
    rooms = sorted((size - len(SPECIALS) for size in sizes), reverse=True)
    whole = alphabet(counts, rooms[0])
    small = [room for room in rooms if room < len(whole)]
    learnt = [*learn(words, [room for room in rooms if room not in small]), *(next(learn(words, [n])) for n in small)]
    by_room = dict(zip(rooms, learnt, strict=True))
    return ascending(lambda size: _known(by_room[size - len(SPECIALS)]), sizes)


def _cutter() -> tokenizers.Tokenizer:
    inner = tokenizers.Tokenizer(models.Unigram())
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(WORDS, "isolated"), pre_tokenizers.Metaspace(prepend_scheme="never", split=False)]
    )
    inner.decoder = decoders.Metaspace(prepend_scheme="never", split=False)
    return inner


def _known(scores: dict[str, float]) -> Tokenizer:
    inner = _cutter()
    pieces = [*((name, 0.0) for name in SPECIALS), *sorted(scores.items(), key=lambda item: (-item[1], item[0]))]
    inner.model = models.Unigram(vocab=pieces, unk_id=SPECIALS.index(UNKNOWN), byte_fallback=False)
    inner.add_special_tokens(list(SPECIALS))
    return Tokenizer(inner, "unigram")


def _letters(words: Counter[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, times in words.items():
        for letter in word:
            counts[letter] += times
    return counts


def learn(words: Counter[str], rooms: Sequence[int]) -> Iterator[dict[str, float]]:
    """For each of the falling ``rooms``, at most so many pieces and the logarithms of their probabilities."""
    counts = _letters(words)
    letters = alphabet(counts, rooms[0])
    text = Counter({word: words[word] for word in most_common(words, READ)})
    text = without(text, counts.keys() - letters)
    seeds = seeded(text, letters, max(2 * rooms[0], min(SEEDS * rooms[0], MANY)))
    names = [*sorted(letters), *(piece for piece in seeds if piece not in letters)]
    p: NDArray[np.float64] = np.array(
        [counts[piece] if piece in letters else seeds[piece] for piece in names], dtype=float
    )
    fixed = np.arange(len(names)) < len(letters)
    often = np.array(list(text.values()), dtype=np.float64)  # (W,)
    pieces = Pieces(names, p, fixed, Lattice(list(text), names), Lattice(names, names)).fitted(often)
    for room in rooms:
        while int(KEPT * len(pieces.p)) > room:
            pieces = pieces.cut(int(KEPT * len(pieces.p))).fitted(often)
        yield (pieces.cut(room).fitted(often) if len(pieces.p) > room else pieces).scores()


@dataclass(frozen=True)
class Pieces:
    """The pieces that are left, each with the number of times that it is used; those that are ``fixed`` stay."""

    names: list[str]
    p: NDArray[np.float64]  # (P,)
    fixed: NDArray[np.bool_]  # (P,)
    text: "Lattice"
    inside: "Lattice"  # how else a piece may be written

    def fitted(self, often: NDArray[np.float64]) -> "Pieces":
        """Two rounds of expectation and maximization."""
        p = self.p
        for _ in range(2):
            p = np.maximum(self.text.expected(p, often), 1e-3)
        return replace(self, p=p)

    def cut(self, room: int) -> "Pieces":
        """Those whose loss would cost most; a piece that is hardly used goes, too."""
        worth = np.where(self.fixed, np.inf, self.p * self.inside.cost(self.p))
        order = np.argsort(-np.round(worth, 6), kind="stable")[:room]
        kept = np.sort(order[self.fixed[order] | (self.p[order] >= 0.5)])
        names = [self.names[n] for n in kept]
        return Pieces(names, self.p[kept], self.fixed[kept], self.text.only(kept), self.inside.only(kept, kept))

    def scores(self) -> dict[str, float]:
        """The logarithms of the probabilities."""
        return dict(zip(self.names, np.round(np.log(self.p / self.p.sum()), 6).tolist(), strict=True))


def seeded(text: Counter[str], letters: set[str], most: int) -> Counter[str]:
    """The substrings of words that occur at least twice, as many as cover most letters."""
    substrings: Counter[str] = Counter()
    for word, times in text.items():
        for start in range(len(word) - 1):
            for end in range(start + 2, min(start + LONGEST, len(word)) + 1):
                substrings[word[start:end]] += times
    often = [substring for substring, times in substrings.items() if times > 1]
    return Counter(
        {
            substring: substrings[substring]
            for substring in sorted(often, key=lambda e: (-substrings[e] * len(e), e))[:most]
        }
    )


class Lattice:
    """All ways to write each of the words with pieces: an edge for every place where a piece may stand."""

    def __init__(self, words: Sequence[str], pieces: Sequence[str]) -> None:
        index = {piece: number for number, piece in enumerate(pieces)}
        edges = [
            (end, number, start, index[word[start:end]])
            for number, word in enumerate(words)
            for start in range(len(word))
            for end in range(start + 1, min(start + LONGEST, len(word)) + 1)
            if word[start:end] in index
        ]
        table = np.array(edges, dtype=np.int32).reshape(-1, 4)
        table = table[np.argsort(table[:, 0], kind="stable")]
        self.end, self.word, self.start, self.piece = np.ascontiguousarray(table.T)  # (E,) each, by end
        self.lengths = np.array([len(word) for word in words], dtype=np.int64)  # (W,)
        self.letters = np.array([len(piece) for piece in pieces], dtype=np.int64)  # (P,)

    def only(self, pieces: NDArray[np.int64], words: NDArray[np.int64] | None = None) -> "Lattice":
        """The same with fewer pieces, and with fewer words if some are given."""
        new = np.full(len(self.letters), -1, dtype=np.int32)
        new[pieces] = np.arange(len(pieces), dtype=np.int32)
        kept = new[self.piece] >= 0
        number = self.word
        if words is not None:
            number = np.full(len(self.lengths), -1, dtype=np.int32)
            number[words] = np.arange(len(words), dtype=np.int32)
            number = number[self.word]
            kept &= number >= 0
        smaller = object.__new__(Lattice)
        smaller.end, smaller.start, smaller.word = self.end[kept], self.start[kept], number[kept]
        smaller.piece, smaller.letters = new[self.piece[kept]], self.letters[pieces]
        smaller.lengths = self.lengths if words is None else self.lengths[words]
        return smaller

    def expected(self, counts: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often each piece is used if each word is written in all ways, each as often as it is likely: (P,)."""
        weight = self._weights(counts)[self.piece]  # (E,)
        before = self._before(weight)  # (L + 1, W) the chance of all ways up to a place
        behind = np.zeros_like(before)
        behind[self.lengths, np.arange(len(self.lengths))] = 1
        order = np.argsort(self.start, kind="stable")
        borders = np.searchsorted(self.start[order], np.arange(len(before) + 1))
        for place in range(len(before) - 2, -1, -1):
            here = order[borders[place] : borders[place + 1]]
            step = weight[here] * behind[self.end[here], self.word[here]]
            behind[place] += np.bincount(self.word[here], step, minlength=len(self.lengths))
        share = times / np.maximum(behind[0], 1e-300)  # (W,)
        used = before[self.start, self.word] * weight * behind[self.end, self.word] * share[self.word]
        return np.bincount(self.piece, used, minlength=len(counts)).astype(np.float64)

    def cost(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """What one use of a piece costs if it must be written otherwise, in nats; the words are the pieces: (P,)."""
        chances = self._weights(counts)
        before = self._before(chances[self.piece])
        whole = before[self.lengths, np.arange(len(self.lengths))]
        return np.log(whole) - np.log(np.maximum(whole - chances, 1e-12 * whole))

    def _before(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        before = np.zeros((self.lengths.max(initial=0) + 1, len(self.lengths)))
        before[0] = 1
        borders = np.searchsorted(self.end, np.arange(len(before) + 1))
        for place in range(1, len(before)):
            here = slice(borders[place], borders[place + 1])
            step = weight[here] * before[self.start[here], self.word[here]]
            before[place] = np.bincount(self.word[here], step, minlength=len(self.lengths))
        return before

    def _weights(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return counts / counts.sum() * np.exp(EVEN * self.letters)
