"""Labelled examples: what a model reads and what is to be said of it, in one form for all tasks.

T tokens   C classes
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.settings import SettingsError

Span = tuple[int, int]  # characters of a text, from and up to
OUTSIDE = "O"  # the tag of a word that is part of no entity
DEALT = 20_181_011  # labelled texts are dealt out by a seed of their own
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_CHINESE = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"  # and Japanese: what is written without blanks between words
_SCRIPT = re.compile(f"[{_CHINESE}]")
_LETTER = rf"[^\W_{_CHINESE}]"
_WORD = re.compile(rf"{_LETTER}+(?:[-.]{_LETTER}+)*|'s\b|\S")


@dataclass(frozen=True)
class Example:
    """One labelled example. Each task says which of the fields it needs; the others stand at their defaults.

    ``words`` are the characters that each word of the text covers, and ``tags`` the number of the class of each.
    ``answers`` are spans of the text, any of which answers the question in ``pair``; there may be none. Of the
    ``targets`` the first is learnt, all are references. Examples of the same ``story`` are never parted: one learnt
    from would tell what is in the other.
    """

    text: str
    pair: str = ""  # a second text: a hypothesis, a question
    choices: tuple[str, ...] = ()  # texts of which one goes with the text
    label: int | None = None  # the number of its class, or of the right choice
    value: float = 0.0
    words: tuple[Span, ...] = ()
    tags: tuple[int, ...] = ()
    answers: tuple[Span, ...] = ()
    targets: tuple[str, ...] = ()
    story: int | None = None

    @property
    def characters(self) -> int:
        """Of all its texts."""
        return sum(map(len, (self.text, self.pair, *self.choices, *self.targets)))


@dataclass(frozen=True)
class Examples:
    """Labelled examples and the names of their classes, or of their tags, in the order of their numbers."""

    examples: Sequence[Example]
    labels: tuple[str, ...] = ()
    faults: tuple[SettingsError, ...] = ()  # what is wrong with the rows of a file that are left out

    @property
    def left_out(self) -> int:
        """How many rows of a file are left out."""
        return len(self.faults)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What a batch is made of: an exercise of one row, or of the few that are judged together, and what is asked about
    it that is no token. ``spans`` (T, 2) are the characters of the example's text that each token covers, -1 where it
    covers none; ``words`` (T,) are the numbers of the words of which each token is the first piece, else -1."""

    exercise: Exercise
    label: int = 0
    value: float = 0.0
    tags: NDArray[np.int64] | None = None  # (T,), -100 where nothing is asked
    answer: Span = (0, 0)  # the first and the last token of the answer; twice the ``rest`` where there is none
    rest: int = 0  # the token that sums up the row
    spans: NDArray[np.int64] | None = None
    words: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Prediction:
    """What a model says of one example, in the fields that its task has; ``chances`` (C,) are probabilities."""

    label: int = 0
    chances: tuple[float, ...] = ()
    value: float = 0.0
    tags: tuple[int, ...] = ()
    answer: Span | None = None  # None where it says that there is no answer
    text: str = ""  # the answer, or what was written
    score: float = 0.0  # how likely the model holds the answer


def dealt(n: int) -> NDArray[np.int64]:
    """In which order ``n`` examples are dealt out, always the same: (n,). Files are often sorted by class, and the
    first few are to be a fair sample of all."""
    return np.random.default_rng(DEALT).permutation(n)


def joined(words: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """Words as one text, with a blank between two unless both are Chinese, and the characters of each."""
    parts, spans, at = list[str](), list[Span](), 0
    for number, word in enumerate(words):
        if number and not (_is_chinese(words[number - 1][-1:]) and _is_chinese(word[:1])):
            parts.append(" ")
            at += 1
        parts.append(word)
        spans.append((at, at + len(word)))
        at += len(word)
    return "".join(parts), tuple(spans)


def words_in(text: str) -> tuple[Span, ...]:
    """The characters of each word of a text as it is written: a sign is a word of its own, a full stop no part of the
    last one; and so is each Chinese character."""
    return tuple(match.span() for match in _WORD.finditer(text))


def trimmed(text: str, start: int, end: int) -> Span:
    """A span of a text without the blanks at either end."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def by_character(words: Sequence[str], tags: Sequence[str]) -> tuple[list[str], list[str]]:
    """Chinese words taken apart into characters, each of which bears a tag: of those of one entity the first alone
    begins it."""
    apart, kept = list[str](), list[str]()
    for word, tag in zip(words, tags, strict=True):
        pieces = [*word] if word and all(map(_is_chinese, word)) else [word]
        inside = "I-" + tag[2:] if tag.startswith("B-") else tag
        apart += pieces
        kept += [tag, *[inside] * (len(pieces) - 1)]
    return apart, kept


def numbered(names: Iterable[str]) -> tuple[str, ...]:
    """The names of classes, each once, in the order of their numbers: whole numbers by value, other names sorted."""
    once = sorted({*names})
    return tuple(sorted(once, key=int) if all(map(_WHOLE.fullmatch, once)) else once)


def _is_chinese(character: str) -> bool:
    """Whether a character is one of those that are written without blanks between words."""
    return bool(_SCRIPT.fullmatch(character))
