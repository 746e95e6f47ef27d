"""A vocabulary, and the tokenizer that turns text into its ids and back.

The tokenizer wraps one of the ``tokenizers`` library. Text is data: a special token's name inside a text is read as
ordinary characters, never as the special token.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from lab.settings import SettingsError

PAD, UNKNOWN, BEGIN, SEPARATE, MASK, END = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[END]")


@dataclass(frozen=True)
class Meetings:
    """How often two tokens stand near each other in a text: a ``key`` is one id times the vocabulary's size plus the
    other."""

    keys: NDArray[np.int64]  # (P,) ascending
    times: NDArray[np.float64]  # (P,)


@dataclass(frozen=True)
class Vocabulary:
    """How many ids there are, which of them have a meaning of their own, and where words begin.

    ``spelling`` gives the bytes of every id, when somebody first asks; without it each token is a word. ``counts``
    (V,) says how often each stands in the text that a run learns from, ``meetings`` how often two do near each other.
    ``neighbours`` (V, N) are those that mean about the same, where vectors have been learnt; the rest of a row is -1.
    """

    size: int
    specials: dict[str, int]
    spelling: Callable[[], Sequence[bytes]] | None = field(default=None, compare=False, repr=False)
    counts: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)
    meetings: Meetings | None = field(default=None, compare=False, repr=False)
    neighbours: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)

    pad = property(lambda self: self.role(PAD))
    unknown = property(lambda self: self.specials.get(UNKNOWN, -1))  # an imported one may know every character
    begin = property(lambda self: self.role(BEGIN))
    separate = property(lambda self: self.role(SEPARATE))
    mask = property(lambda self: self.role(MASK))
    end = property(lambda self: self.role(END))

    @property
    def marks(self) -> tuple[int, ...]:
        """The special tokens beyond those that every vocabulary has, in ascending order."""
        roles = {self.specials[name] for name in SPECIALS if name in self.specials}
        return tuple(sorted(set(self.specials.values()) - roles))

    @cached_property
    def ordinary(self) -> NDArray[np.int64]:
        """All ids that stand for text, in ascending order."""
        return np.flatnonzero(~self._special)

    @cached_property
    def _special(self) -> NDArray[np.bool_]:
        table = np.zeros(self.size, dtype=bool)
        table[list(self.specials.values())] = True
        return table

    def words(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of the word that each token belongs to, counted along its row; -1 at special tokens: (B, T).

        A word begins at a blank, at punctuation and at every Chinese token, and it ends at punctuation, too. A blank
        that is a token of its own belongs to the word behind it.
        """
        special = self.is_special(ids)
        opens, closes = (side[ids] | special for side in self._edges)
        begins = opens.copy()
        begins[:, 1:] |= closes[:, :-1]
        return np.where(special, -1, begins.cumsum(axis=1))

    def stops(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Behind which tokens a sentence is over: a full stop in either script, a new line, the end of a text."""
        return self._stops[ids]

    @cached_property
    def _stops(self) -> NDArray[np.bool_]:
        table = np.array([bool(_STOP.search(each.decode("utf-8", "ignore"))) for each in self._spelt])
        table[[self.specials[END]] if END in self.specials else []] = True
        return table

    def spelt(self, ids: NDArray[np.int64]) -> list[bytes]:
        """The bytes of each id, one by one; none for special tokens."""
        known = self._spelt
        return [known[i] for i in ids.tolist()]

    def script(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """1 at tokens that open with a character of East Asia, -1 at those with a Latin letter, 0 at others."""
        return self._script[ids]

    @cached_property
    def _script(self) -> NDArray[np.int64]:
        opening = [each.strip()[:1] for each in self._spelt]
        return np.array([int(b"\xe3" <= each < b"\xf0") - each.isalpha() for each in opening], dtype=np.int64)

    @cached_property
    def alike(self) -> NDArray[np.int64]:
        """For each id the tokens that are most like it, nearest first, the rest -1: (V, N).

        They are its ``neighbours`` where such are known, else those next to it in the alphabet among the tokens of its
        kind. Two kinds never mix: what begins a word and what goes on with one; letters, digits, punctuation, and
        Chinese of each length. A special token is like no other.
        """
        if self.neighbours is not None:
            return self.neighbours
        found = np.full((self.size, 2 * _REACH), -1, dtype=np.int64)
        order = np.array(sorted(self.ordinary.tolist(), key=lambda i: (self._kinds[i], self._spelt[i])), dtype=np.int64)
        kinds = np.array([self._kinds[i] for i in order])
        for reach in range(1, min(_REACH, len(order) - 1) + 1):
            same = kinds[reach:] == kinds[:-reach]
            left, right = order[:-reach][same], order[reach:][same]
            found[right, 2 * reach - 2], found[left, 2 * reach - 1] = left, right
        return found

    @cached_property
    def _spelt(self) -> Sequence[bytes]:
        return self.spelling() if self.spelling else [i.to_bytes(4, "big") for i in range(self.size)]

    @cached_property
    def _edges(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which ids open a word wherever they stand, and behind which a word is over: two (V,)."""
        if self.spelling is None:
            return np.ones(self.size, dtype=bool), np.ones(self.size, dtype=bool)
        return np.array([opens(each) for each in self._spelt]), np.array([closes(each) for each in self._spelt])

    @cached_property
    def _kinds(self) -> list[str]:
        return ["" if self.spelling is None else kind(each) for each in self._spelt]

    def is_special(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the ids have a meaning of their own; the same shape as ``ids``. The unknown token counts."""
        return self._special[ids]

    def role(self, name: str) -> int:
        """The id of the special token of this name. Raises SettingsError where the tokenizer has none."""
        if name not in self.specials:  # of an imported tokenizer
            raise SettingsError(
                f"this model's tokenizer has no token that serves as {name}",
                f"这个模型的分词器没有可用作 {name} 的词元",
            )
        return self.specials[name]


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
        known = inner.get_vocab()
        names = {name: name for name in (*SPECIALS, *_marks(inner))} | self.roles
        self.vocabulary = Vocabulary(
            size=max(size, inner.get_vocab_size()),
            specials={name: known[content] for name, content in names.items() if content in known},
            spelling=lambda: [piece.bytes for piece in self.pieces(range(self.vocabulary.size))],
            neighbours=None if neighbours is None else _table(neighbours, max(size, inner.get_vocab_size())),
        )
        self._bytes_of = bytes_of(inner)
        self.opens_blank = opens_blank(inner)
        self._wider: dict[tuple[str, ...], Tokenizer] = {}  # made once: a page asks for them at every key

    def with_marks(self, names: Sequence[str]) -> "Tokenizer":
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
            encoded = self.inner.encode_batch_fast([part for _, part in group], add_special_tokens=False)
            for (number, _), each in zip(group, encoded, strict=True):
                found[number].append(np.array(each.ids, dtype=np.int64))
            if read:
                read(sum(len(part) for _, part in group))
        return [ids[0] if len(ids) == 1 else np.concatenate(ids) for ids in found]

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
            encoded = self.inner.encode_batch([text[start:end] for start, end in group], add_special_tokens=False)
            for (start, _), each in zip(group, encoded, strict=True):
                spans = np.array(each.offsets, dtype=np.int64).reshape(-1, 2) + start
                yield np.column_stack([np.array(each.ids, dtype=np.int64), spans])

    def _overlaps(self, text: str) -> bool:
        """Whether the stretches of a long text must overlap: where it, or this tokenizer, has no seams."""
        if len(text) <= _STRETCH:
            return False
        ends = [*accumulate(map(len, stretches(text)))][:-1]
        return not (self._has_seams and all(text[end] in " \n" and not text[end - 1].isspace() for end in ends))

    def _sewn(self, text: str, read: Callable[[int], None] | None = None) -> NDArray[np.int64]:
        """A long text read in stretches that overlap, each two sewn together in the middle of what they share, where
        neither begins or ends: (T, 3), as ``_read`` gives it."""
        starts = range(0, len(text), _STRETCH)
        readings = self._read(text, [(start, start + _STRETCH + _SHARED) for start in starts])
        whole, last = [], next(readings)
        for start, reading in zip(starts[1:], readings, strict=True):
            before, last = sewn(last, reading, start + _SHARED // 2)
            whole.append(before)
            if read:
                read(_STRETCH)
        return np.concatenate([*whole, last])

    @cached_property
    def _has_seams(self) -> bool:
        """Whether the tokenizer ends a token where a blank or a new line follows something else, and knows of a text's
        beginning nothing but the text. Some put a blank before it, others have tokens with a new line inside."""
        parts = [part for part in _SEAMS.split(_PROBE) if part]
        whole, *rest = self.inner.encode_batch([_PROBE, *parts], add_special_tokens=False)
        return whole.ids == [number for part in rest for number in part.ids]

    def encode_with_gaps(self, text: str, gap: str = MASK) -> NDArray[np.int64]:
        """The ids of a text in which each ``gap`` stands for the mask token: (T,)."""
        mask = np.array([self.vocabulary.mask], dtype=np.int64)
        parts: list[NDArray[np.int64]] = []
        for number, part in enumerate(text.split(gap)):
            parts += [mask] if number else []
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
        special = token_id in self.vocabulary.specials.values()
        raw = b"" if special else self._bytes_of(token)
        piece = Piece(token_id, token if special else raw.decode("utf-8", "replace"), raw, special)
        self._cache[token_id] = piece
        return piece

    @cached_property
    def _cache(self) -> dict[int, Piece]:
        return {}


def bytes_of(inner: tokenizers.Tokenizer) -> Callable[[str], bytes]:
    """What turns a token as the library writes it into the UTF-8 bytes that it stands for.

    The lab's own tokenizers write bytes or characters. Imported ones may mark what goes on with a word (WordPiece),
    what ends one (GPT-1), or write a blank as "▁" and a rare byte as "<0x0A>" (SentencePiece).
    """
    steps = _steps(json.loads(inner.decoder.__getstate__())) if inner.decoder else []
    kinds = {step["type"]: step for step in steps}
    if "ByteLevel" in kinds:
        return lambda token: b"".join(
            bytes([BYTES[each]]) if each in BYTES else each.encode("utf-8", "replace") for each in token
        )
    if "WordPiece" in kinds:
        inside = kinds["WordPiece"]["prefix"]
        return lambda token: (token.removeprefix(inside) if token.startswith(inside) else " " + token).encode()
    if "BPEDecoder" in kinds:
        last = kinds["BPEDecoder"]["suffix"]
        return lambda token: (token.removesuffix(last) + " " * token.endswith(last)).encode()
    if kinds.keys() & {"Metaspace", "ByteFallback"}:
        return lambda token: (
            bytes([int(token[3:-1], 16)]) if _BYTE.fullmatch(token) else token.replace("▁", " ").encode()
        )
    return lambda token: token.encode("utf-8", "replace")


def _table(rows: Sequence[Sequence[int]], size: int) -> NDArray[np.int64]:
    """Rows of ids as one table, filled up with -1: (V, N). What is no id is left out."""
    table = np.full((size, max(map(len, rows), default=0) or 1), -1, dtype=np.int64)
    for i, row in enumerate(rows[:size]):
        known = [each for each in row if 0 <= each < size]
        table[i, : len(known)] = known
    return table


def opens_blank(inner: tokenizers.Tokenizer) -> bool:
    """Whether the first word, too, is spelt with a blank before it, that no text has: WordPiece, most of
    SentencePiece's."""
    steps = _steps(json.loads(inner.decoder.__getstate__())) if inner.decoder else []
    return any(
        step["type"] == "WordPiece" or (step["type"] == "Metaspace" and step.get("prepend_scheme") != "never")
        for step in steps
    )


def _steps(decoder: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a decoder, those inside others too."""
    return [decoder] + [step for part in decoder.get("decoders", []) for step in _steps(part)]


def _marks(inner: tokenizers.Tokenizer) -> list[str]:
    return [token.content for token in inner.get_added_tokens_decoder().values() if token.content not in SPECIALS]


def opens(spelt: bytes) -> bool:
    """Whether a token opens a word wherever it stands: not one that goes on with letters, digits or a character."""
    if not spelt or spelt[0] & 0xC0 == 0x80:  # special, or the rest of a character
        return not spelt
    first = spelt.decode("utf-8", "ignore")[:1]
    return _alone(first) if first else spelt[0] not in _LETTERS


def closes(spelt: bytes) -> bool:
    """Whether a word is over behind a token: it ends with punctuation or with a whole Chinese character.

    Blanks alone are no word yet: they belong to what follows.
    """
    if spelt and not spelt.strip(b" "):
        return False
    last = spelt.decode("utf-8", "replace")[-1:]
    return not last or (last != "\ufffd" and _alone(last))


def kind(spelt: bytes) -> str:
    """What a token is made of, whether it opens a word, and how long it is if it is Chinese."""
    text = spelt.decode("utf-8", "ignore").lstrip(" ")
    where = "rest" if not opens(spelt) else "blank" if spelt[:1] == b" " else "first"
    if not text[:1].isalnum():
        return f"{where} {'sign' if text else 'part'}"
    return f"{where} {f'wide {len(text)}' if text >= _WIDE else 'digit' if text[0].isdigit() else 'letter'}"


def _alone(character: str) -> bool:
    """Whether a character belongs to no word but its own: blanks, punctuation, Chinese."""
    return not character.isalnum() or character >= _WIDE


_STOP = re.compile(r"[.!?…。！？][\"'”’)\]」』）]*$|\n$")
_REACH = 4  # neighbours in the alphabet to each side
_WIDE = "\u2e80"  # from here on come the scripts of East Asia
_LETTERS = (*range(0xC3, 0xE0), 0xE0, 0xE1)  # a character of more bytes that begins with one of these is a letter


def clean(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, so that it can be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def stretches(text: str) -> Iterator[str]:
    """The text in stretches that the library can take without holding a hundred times their size in memory.

    A stretch ends where a blank or a new line follows something else. There every tokenizer of the lab ends a token
    anyway; only a text without such a place is cut anywhere.
    """
    start = 0
    while len(text) - start > _STRETCH:
        seam = _SEAM.match(text, start, start + _STRETCH)
        end = seam.end() if seam else start + _STRETCH
        yield text[start:end]
        start = end
    yield text[start:]


def sewn(one: NDArray[np.int64], two: NDArray[np.int64], place: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What to keep of two readings of stretches that overlap around ``place``: the second goes on behind it from the
    first token that both have. Ids, and the characters that each covers: (T, 3)."""
    late = np.flatnonzero(one[:, 1] >= place)
    known = {tuple(one[number].tolist()): number for number in late[::-1].tolist()}
    for number in np.flatnonzero(two[:, 1] >= place).tolist():
        same = known.get(tuple(two[number].tolist()))
        if same is not None:
            return one[:same], two[number:]
    return one[one[:, 1] < place], two[two[:, 1] >= place]


# Characters in a stretch, stretches that are encoded at once, characters that two stretches share where they must.
_STRETCH, _AT_ONCE, _SHARED = 2**14, 64, 2**9
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")
_SEAM = re.compile(r".*\S(?=[ \n])", re.DOTALL)
_SEAMS = re.compile(r"(?<=\S)(?=[ \n])")
_PROBE = (
    'The cat sat, it\'s 12.\nIt ran.\n\n"So!" he said:  "No" ...\n 猫坐在 垫子上。\n「好」 naïve\n- x = 3;\n\n\tend'
)


def _byte_alphabet() -> dict[str, int]:
    """The printable character that GPT-2's byte-level BPE writes for each byte, read backwards."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + n): byte for n, byte in enumerate(others)}


BYTES = _byte_alphabet()
