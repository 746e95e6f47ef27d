"""A tokenizer: text to token ids and back.

It wraps one of the ``tokenizers`` library. Text is data: a special token's name inside a text is read as ordinary
characters, never as the special token.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from lab.settings import SettingsError
from lab.text import SHARED, STRETCH, clean, sewn, stretches
from lab.token_bytes import bytes_of, opens_blank
from lab.vocabulary import MASK, SPECIALS, Vocabulary
from lab.word_cache import WordCache

_AT_ONCE = 64  # stretches that are encoded at once
_LETTER = "a"  # a text that any tokenizer reads
_SEAMS = re.compile(r"(?<=\S)(?=[ \n])")
_PROBE = (
    'The cat sat, it\'s 12.\nIt ran.\n\n"So!" he said:  "No" ...\n 猫坐在 垫子上。\n「好」 naïve\n- x = 3;\n\n\tend'
)


@contextmanager
def unbroken() -> Iterator[None]:
    """Raises SettingsError where the library breaks down inside the ``with``, as by a stranger's expression that needs
    more steps for a text than it takes: its panics are no Exceptions."""
    try:
        yield
    except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:
        raise breakdown() from None


def breakdown() -> SettingsError:
    """What is said where a stranger's tokenizer cannot read a text."""
    return SettingsError("this tokenizer breaks down when it reads the text", "这个分词器读这段文字时出错了")


@dataclass(frozen=True)
class Piece:
    """One token of a text as a person wants to see it."""

    id: int
    text: str  # what to show; may hold U+FFFD where the bytes are only part of a character
    bytes: bytes  # the UTF-8 bytes it stands for; empty for a special token
    special: bool


class Tokenizer:
    """Text to ids and back. ``kind`` is the name of the register's entry that trained it.

    One that was made elsewhere has other names for the special tokens: ``roles`` are ours to theirs. ``size`` is the
    model's number of ids, where that is more than the tokenizer's own. ``neighbours`` are, for each id, those that mean
    about the same, nearest first.
    """

    def __init__(
        self,
        inner: tokenizers.Tokenizer,
        kind: str,
        roles: Mapping[str, str] | None = None,
        size: int = 0,
        neighbours: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self.inner = inner
        self.kind = kind
        self.roles = dict(roles or {})
        self.neighbours = neighbours
        self.inner.encode_special_tokens = True
        vocab = inner.get_vocab()
        added = inner.get_added_tokens_decoder().values()  # words, too, by strangers: those stand for text
        special = [token.content for token in added if token.special]
        names = {name: name for name in (*SPECIALS, *special)} | self.roles
        names |= {f"{name} 2": name for name in special if name not in names.values()}  # another token has its role
        self.vocabulary = Vocabulary(
            size=max(size, inner.get_vocab_size()),
            specials={name: vocab[content] for name, content in names.items() if content in vocab},
            spelling=lambda: [piece.bytes for piece in self.pieces(range(self.vocabulary.size))],
            neighbours=None if neighbours is None else _table(neighbours, max(size, inner.get_vocab_size())),
        )
        self._bytes_of = bytes_of(inner)
        self.opens_blank = opens_blank(inner)
        self._wider: dict[tuple[str, ...], Tokenizer] = {}  # made once: a page asks for them at every key

    def with_special_tokens(self, names: Sequence[str]) -> "Tokenizer":
        """The tokenizer with these special tokens behind all others; those that it has already are not added again."""
        new = [name for name in names if self.inner.token_to_id(name) is None]
        if not new:
            return self
        if tuple(new) not in self._wider:
            wider = tokenizers.Tokenizer.from_str(self.inner.to_str())
            wider.add_special_tokens(new)
            made = Tokenizer(wider, self.kind, self.roles, self.vocabulary.size, self.neighbours)
            self._wider[tuple(new)] = made
        return self._wider[tuple(new)]

    def with_neighbours(self, neighbours: Sequence[Sequence[int]]) -> "Tokenizer":
        """The tokenizer, told for each id which others mean about the same."""
        return Tokenizer(self.inner, self.kind, self.roles, self.vocabulary.size, neighbours)

    def encode(self, text: str) -> NDArray[np.int64]:
        """The ids of a text: (T,). A lone surrogate reads as U+FFFD."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str], read: Callable[[int], None] | None = None) -> list[NDArray[np.int64]]:
        """The ids of many texts, each (T,). A long one is read in stretches, and no one can tell from the ids.
        ``read`` is told now and then how many more characters have been read."""
        parts: list[tuple[int, str]] = []
        found: list[list[NDArray[np.int64]]] = [[] for _ in texts]
        for number, text in enumerate(map(clean, texts)):
            if self._overlaps(text):
                found[number].append(self._sewn(text, read)[:, 0])
            else:
                parts += [(number, part) for part in stretches(text)]
        for start in range(0, len(parts), _AT_ONCE):
            group = parts[start : start + _AT_ONCE]
            length = sum(len(part) for _, part in group)
            texts = [part for _, part in group]
            known = self._words.read(texts) if length > STRETCH and self._has_seams else None
            for (number, _), ids in zip(group, self._plainly(texts) if known is None else known, strict=True):
                found[number].append(np.asarray(ids, dtype=np.int64))
            if read:
                read(length)
        return [ids[0] if len(ids) == 1 else np.concatenate(ids) for ids in found]

    def _plainly(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text, as the library reads it."""
        with unbroken():
            return [encoding.ids for encoding in self.inner.encode_batch_fast(texts, add_special_tokens=False)]

    @cached_property
    def _words(self) -> WordCache:
        return WordCache(self._plainly)

    def encode_with_spans(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The ids of a text, (T,), and the characters that each covers, from and up to: (T, 2).

        Tokens that share the bytes of one character all cover it. Counted in code points of ``clean(text)``.
        """
        text = clean(text)
        if self._overlaps(text):
            table = self._sewn(text)
        else:
            table = np.concatenate([*self._read(text, [*pairwise(accumulate(map(len, stretches(text)), initial=0))])])
        return table[:, 0].copy(), table[:, 1:].copy()

    def _read(self, text: str, edges: Sequence[tuple[int, int]]) -> Iterator[NDArray[np.int64]]:
        """The ids of each part of a text, and the characters that each covers: (T, 3)."""
        for at in range(0, len(edges), _AT_ONCE):
            group = edges[at : at + _AT_ONCE]
            with unbroken():
                encoded = self.inner.encode_batch([text[start:end] for start, end in group], add_special_tokens=False)
            for (start, _), encoding in zip(group, encoded, strict=True):
                spans = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) + start
                yield np.column_stack([np.array(encoding.ids, dtype=np.int64), spans])

    def _overlaps(self, text: str) -> bool:
        """Whether the stretches of a long text must overlap: where it, or this tokenizer, has no seams."""
        if len(text) <= STRETCH:
            return False
        ends = [*accumulate(map(len, stretches(text)))][:-1]
        return not (self._has_seams and all(text[end] in " \n" and not text[end - 1].isspace() for end in ends))

    def _sewn(self, text: str, read: Callable[[int], None] | None = None) -> NDArray[np.int64]:
        """A long text read in stretches that overlap, each two sewn together in the middle of what they share, where
        neither begins or ends: (T, 3), as ``_read`` gives it."""
        starts = range(0, len(text), STRETCH)
        readings = self._read(text, [(start, start + STRETCH + SHARED) for start in starts])
        whole, last = [], next(readings)
        for start, reading in zip(starts[1:], readings, strict=True):
            before, last = sewn(last, reading, start + SHARED // 2)
            whole.append(before)
            if read:
                read(STRETCH)
        return np.concatenate([*whole, last])

    @cached_property
    def _has_seams(self) -> bool:
        """Whether the tokenizer ends a token where a blank or a new line follows something else, and knows of a text's
        beginning nothing but the text. Some put a blank before it, others have tokens with a new line inside."""
        parts = [part for part in _SEAMS.split(_PROBE) if part]
        with unbroken():
            whole, *rest = self.inner.encode_batch([_PROBE, *parts], add_special_tokens=False)
        return whole.ids == [number for part in rest for number in part.ids]

    @cached_property
    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The special tokens that the tokenizer itself puts before and behind a text for its model: those of its
        post-processor. The lab's own put none there, since the objective frames a text."""
        with unbroken():
            framed = self.inner.encode(_LETTER)
        own = [place for place, added in enumerate(framed.special_tokens_mask) if not added] or [len(framed.ids)]
        before, behind = framed.ids[: own[0]], framed.ids[own[-1] + 1 :]
        known = range(self.vocabulary.size)  # a stranger's file may put anything there
        return tuple(each for each in before if each in known), tuple(each for each in behind if each in known)

    def encode_with_gaps(self, text: str, gap: str = MASK) -> NDArray[np.int64]:
        """The ids of a text in which each ``gap`` stands for the mask token: (T,)."""
        parts: list[NDArray[np.int64]] = []
        for number, part in enumerate(text.split(gap)):
            parts += [np.array([self.vocabulary.mask], dtype=np.int64)] if number else []
            parts += [self.encode(part)]
        return np.concatenate(parts)

    def decode(self, ids: Sequence[int] | NDArray[np.int64], *, begins: bool = False) -> str:
        """The text of the ids. Special tokens appear by name; broken bytes as U+FFFD.

        Where every word is spelt with a blank before it, that of the first one was not in the text: it is left out if
        the text ``begins`` here.
        """
        parts = [piece.text.encode() if piece.special else piece.bytes for piece in self.pieces(ids)]
        text = b"".join(parts).decode("utf-8", "replace")
        return text.removeprefix(" ") if begins and self.opens_blank else text

    def pieces(self, ids: Sequence[int] | NDArray[np.int64]) -> list[Piece]:
        """What each id stands for, one by one."""
        return [self._piece(i) for i in np.asarray(ids, dtype=np.int64).tolist()]

    @cached_property
    def token_bytes(self) -> NDArray[np.int64]:
        """How many bytes of text each id stands for, 0 for special tokens: (V,)."""
        return np.array([len(piece.bytes) for piece in self.pieces(range(self.vocabulary.size))], dtype=np.int64)

    @cached_property
    def marks(self) -> dict[str, int]:
        """The special tokens but the mask, by every name by which one may type them."""
        mask, specials = self.vocabulary.specials.get(MASK), self.vocabulary.specials
        marks = {name: number for name, number in specials.items() if number != mask}
        return marks | {text: number for number in marks.values() if (text := self._piece(number).text)}

    @cached_property
    def around_marks(self) -> re.Pattern[str]:
        """Where to split a text so that each of the ``marks`` stands alone, without the blanks around it."""
        names = sorted(self.marks, key=len, reverse=True)
        return re.compile(rf"\s*({'|'.join(map(re.escape, names))})\s*")

    @cached_property
    def joins_blanks(self) -> bool:
        """Whether there are tokens that open with a blank: a word then takes along the blank before it."""
        return any(piece.bytes[:1] == b" " != piece.bytes for piece in self.pieces(range(self.vocabulary.size)))

    def save(self) -> str:
        """The tokenizer as one JSON document."""
        also: dict[str, Any] = {"roles": self.roles, "size": self.vocabulary.size} if self.roles else {}
        also |= {} if self.neighbours is None else {"neighbours": self.neighbours}
        return json.dumps({"kind": self.kind, **also, "tokenizer": json.loads(self.inner.to_str())}, ensure_ascii=False)

    @classmethod
    def load(cls, document: str) -> "Tokenizer":
        """A tokenizer that ``save`` wrote. A foreign file must be parsed in a child process first: a hostile one
        can abort the process that reads it."""
        parsed: dict[str, Any] = json.loads(document)
        inner = tokenizers.Tokenizer.from_str(json.dumps(parsed["tokenizer"]))
        return cls(inner, parsed["kind"], parsed.get("roles"), parsed.get("size", 0), parsed.get("neighbours"))

    def _piece(self, token_id: int) -> Piece:
        if token_id in self._cache:
            return self._cache[token_id]
        token = self.inner.id_to_token(token_id) or ""
        special = token_id in self._special
        raw = b"" if special else self._bytes_of(token)
        piece = Piece(token_id, token if special else raw.decode("utf-8", "replace"), raw, special)
        self._cache[token_id] = piece
        return piece

    @cached_property
    def _special(self) -> frozenset[int]:
        return frozenset(self.vocabulary.specials.values())

    @cached_property
    def _cache(self) -> dict[int, Piece]:
        return {}


def _table(rows: Sequence[Sequence[int]], size: int) -> NDArray[np.int64]:
    """Rows of ids as one table, filled up with -1: (V, N). What is no id is left out."""
    table = np.full((size, max(map(len, rows), default=0) or 1), -1, dtype=np.int64)
    for i, row in enumerate(rows[:size]):
        inside = [other for other in row if 0 <= other < size]
        table[i, : len(inside)] = inside
    return table
