"""Phrase matching: the phrases of a list found in a text by their spelling, whatever the tokenizer made of them.

B rows   T tokens
"""

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lab.vocabulary import Vocabulary
from lab.word_borders import opens


def listed_in(text: str) -> tuple[str, ...]:
    """The parts of a list with commas or lines between, the longest first."""
    phrases = {" ".join(phrase.split()) for phrase in re.split(r"[\n,;，、；]", text)} - {""}
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


def units_of(
    ids: NDArray[np.int64], listed: tuple[str, ...], vocabulary: Vocabulary
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """What is hidden as a whole, a word or what is ``listed``, numbered along each row, -1 at special tokens; and what
    of it is listed: (B, T)."""
    words = vocabulary.words(ids)
    phrase_of = _found(ids, listed, vocabulary)  # (B, T)
    starts = np.ones(words.shape, dtype=bool)
    same = (phrase_of[:, 1:] >= 0) & (phrase_of[:, 1:] == phrase_of[:, :-1])
    starts[:, 1:] = (phrase_of[:, 1:] != phrase_of[:, :-1]) | ~same & (words[:, 1:] != words[:, :-1])
    return np.where(words < 0, -1, starts.cumsum(axis=1)), phrase_of >= 0


def _found(ids: NDArray[np.int64], listed: tuple[str, ...], vocabulary: Vocabulary) -> NDArray[np.int64]:
    """The number of the phrase that each token is part of, -1 where it is part of none: (B, T)."""
    b, t = ids.shape
    phrase_of = np.full(b * (t + 1), -1, dtype=np.int64)
    pattern = _pattern(listed)
    if pattern is None:
        return phrase_of.reshape(b, t + 1)[:, :t]
    rows = np.column_stack([ids, np.full(b, vocabulary.mask)])  # nothing goes on from one row to the next
    spelt = [token or b"\0" for token in vocabulary.spelt(rows.ravel())]
    ends = np.cumsum([len(token) for token in spelt])
    for number, match in enumerate(pattern.finditer(b"".join(spelt))):
        first, last = np.searchsorted(ends, [match.start(), match.end() - 1], side="right")
        # Two may share a Chinese token.
        phrase_of[first : last + 1] = phrase_of[first] if phrase_of[first] >= 0 else number
    return phrase_of.reshape(b, t + 1)[:, :t]


@lru_cache(maxsize=16)
def _pattern(listed: tuple[str, ...]) -> re.Pattern[bytes] | None:
    """What finds any of the phrases in a text's bytes, the longest first; capital or small, and never inside a word."""
    return re.compile(b"|".join(map(_spelling, listed)), re.IGNORECASE) if listed else None


def _spelling(phrase: str) -> bytes:
    """A phrase as it may be spelt: some tokenizers put a blank before Chinese characters and punctuation."""
    parts = [b" +" if character == " " else re.escape(character.encode("utf-8", "replace")) for character in phrase]
    alone = [opens(character.encode("utf-8", "replace")) for character in phrase]  # Chinese, punctuation, blanks
    for place in range(len(parts) - 1, 0, -1):
        if " " not in phrase[place - 1 : place + 1] and (alone[place] or alone[place - 1]):
            parts.insert(place, b" ?")
    before, behind = (b"" if edge else b"[0-9A-Za-z]" for edge in (alone[0], alone[-1]))
    return (b"(?<!%b)" % before if before else b"") + b"".join(parts) + (b"(?!%b)" % behind if behind else b"")
