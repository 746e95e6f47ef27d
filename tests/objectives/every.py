"""Every token objective in every way that its settings name, on texts of a vocabulary that is spelt out here.

No tokenizer is trained, so that the exercises are the same wherever the tests run.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.data.template import framed
from lab.noise import Dice
from lab.registry import Entry
from lab.settings import Settings, SettingsError
from lab.vocabulary import END, SPECIALS, Vocabulary

Ids = NDArray[np.int64]
WORDS = 400  # ids that stand for text, behind the special ones


@dataclass(frozen=True, repr=False)
class Way:
    """One objective with one choice of settings, under a name of its own."""

    name: str
    objective: Entry
    settings: Any

    def __repr__(self) -> str:
        return self.name

    @property
    def vocabulary(self) -> Vocabulary:
        """Text, special tokens, and the objective's own marks at the end."""
        return spelt(tuple(self.objective.packing.special_tokens))

    def exercise(self, ids: Ids, dice: Dice) -> Exercise:
        """What the objective makes of framed rows."""
        found: Exercise = self.objective.build(ids, self.settings, self.vocabulary, dice)
        return found

    def framed(self, ids: Ids) -> Ids:
        """Rows of text in the objective's frame; padding stays behind it."""
        frame, pad = self.objective.frame, self.vocabulary.pad
        rows = [framed(row[row != pad], frame, self.vocabulary) for row in ids]
        width = max(len(row) for row in rows)
        return np.stack([np.pad(row, (0, width - len(row)), constant_values=pad) for row in rows])


@cache
def spelt(marks: tuple[str, ...]) -> Vocabulary:
    """Words behind a blank, ends of words, full stops and Chinese characters by turns."""

    def spelling() -> list[bytes]:
        kinds = (" Wa", " be", "ing", " da", ".", " Wo", "ed", " ta", "", " na")
        words = [f"{kinds[n % 10]}{chr(97 + n // 10 % 26)}" if n % 10 not in (4, 8) else "." for n in range(WORDS)]
        words = [chr(0x4E00 + n) if n % 10 == 8 else word for n, word in enumerate(words)]
        return [*[b""] * len(SPECIALS), *[word.encode() for word in words], *[b""] * len(marks)]

    names = [*SPECIALS, *marks]
    places = [*range(len(SPECIALS)), *range(len(SPECIALS) + WORDS, len(names) + WORDS)]
    size = len(names) + WORDS
    counts = 1 + np.arange(size)[::-1] ** 2
    return Vocabulary(size, dict(zip(names, places, strict=True)), spelling, counts)


def ways() -> list[Way]:
    """Each token objective as it is, with every other choice of its settings, and with much more of it."""
    return [way for entry in OBJECTIVES if entry.stage == "token" for way in _of(entry)]


def _of(entry: Entry) -> Iterator[Way]:
    usual: Settings = entry.settings()
    yield Way(entry.name, entry, usual)
    for name, item in entry.settings.knobs().items():
        value, knob = getattr(usual, name), item.metadata["knob"]
        others = [other for other in knob.choices or () if other != value]
        others += [not value] if isinstance(value, bool) and name != "dynamic" else []
        others += [0.5] if name in ("share", "document", "sentence", "backwards") else []
        for other in others:
            try:
                settings = entry.settings.load({name: other})
            except SettingsError:
                continue
            yield Way(f"{entry.name} {name}={other}", entry, settings)


def texts(seed: int, rows: int, tokens: int) -> Ids:
    """Rows of random lengths up to ``tokens``, padded; every tenth token or so is the end of a document."""
    draw = np.random.default_rng(seed)
    ids = draw.integers(len(SPECIALS), len(SPECIALS) + WORDS, (rows, tokens))
    ids[draw.random(ids.shape) < 0.02] = SPECIALS.index(END)
    ids[np.arange(tokens) >= draw.integers(1, tokens + 1, rows)[:, None]] = 0
    return ids


def counted(rows: int, tokens: int) -> Ids:
    """Rows that no generator draws."""
    cells = np.arange(rows * tokens, dtype=np.int64).reshape(rows, tokens)
    return len(SPECIALS) + (cells * cells * 31 + cells * 7) % WORDS


def row(exercise: Exercise, n: int) -> list[Any]:
    """One row of an exercise without padding: what may not depend on other rows."""
    real = exercise.real[n] if exercise.real is not None else np.ones(exercise.shown.shape[1], dtype=bool)
    table = exercise.table()
    seen = (table if table.ndim == 2 else table[n])[np.ix_(real, real)]
    asked = exercise.asked[n]
    found = [exercise.shown[n][real], asked[real], exercise.answers[n][asked], seen]
    for part in (exercise.positions, exercise.order, exercise.segments):
        found += [part[n][real]] if part is not None else []
    if exercise.source is not None and exercise.source_real is not None:
        found.append(exercise.source[n][exercise.source_real[n]])
    return [each.tolist() for each in found]


def digest(exercise: Exercise) -> str:
    """A short name for all numbers of an exercise."""
    told = repr([row(exercise, n) for n in range(len(exercise.shown))])
    return hashlib.sha256(told.encode()).hexdigest()[:16]
