"""Phrase masking: hide the phrases and names of a list as wholes, and words where there is room left.

ERNIE finds phrases and entities with tools and knowledge bases of its own and learns in three stages, with words, then
phrases, then entities hidden. Here the list is the visitor's, and one exercise has it all: phrases come first, in
random order, and other whole words fill up the share. Where a text has none of the phrases, this is whole-word masking;
where it has some, one of them is hidden even if it is longer than the share. As in ERNIE's code each token is masked,
made random or kept by a draw of its own. A phrase is found by its spelling, whatever the tokenizer made of it.

B rows   T tokens
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Rates
from lab.noise import Dice, budget, grams, together
from lab.objectives.mlm import Mlm, blanked, shares
from lab.settings import SettingsError, knob
from lab.vocab import Vocabulary, opens

MOST = 500  # phrases in a list
USUAL = "light bag, five hours, small town, post office, 背包, 五个小时, 小镇, 邮局"


@dataclass(frozen=True, kw_only=True)
class Phrases(Mlm):
    """What is asked first, how much in all, and what stands in its place."""

    phrases: str = knob(USUAL, "Phrases and names, with commas between", "短语和名称，用逗号隔开")

    @property
    def listed(self) -> tuple[str, ...]:
        """The phrases, the longest first."""
        return listed_in(self.phrases)

    def check(self) -> None:
        super().check()
        if len(self.listed) > MOST:
            raise SettingsError(f"give at most {MOST} phrases", f"最多给出 {MOST} 个短语")


def listed_in(text: str) -> tuple[str, ...]:
    """The parts of a list with commas or lines between, the longest first."""
    found = {" ".join(each.split()) for each in re.split(r"[\n,;，、；]", text)} - {""}
    return tuple(sorted(found, key=lambda each: (-len(each), each)))


def asked_of(ids: NDArray[np.int64], s: Phrases, vocabulary: Vocabulary) -> tuple[float, float]:
    """How many of the ids (T,) are asked on average, and the standard deviation: the share, or a phrase if longer."""
    units, listed = units_of(ids[None], s.listed, vocabulary)
    n = int((units >= 0).sum())
    low = int(s.rate * n)
    sizes = np.bincount(units[listed]) if listed.any() else np.ones(1, dtype=np.int64)  # of the phrase that comes first
    few, many = (np.maximum(sizes[sizes > 0], min(max(each, 1), n)) for each in (low, low + 1))
    part = s.rate * n - low
    counts, chances = np.concatenate([few, many]), np.repeat([1 - part, part], len(few)) / len(few)
    mean = float(counts @ chances)
    return mean, float(np.sqrt((counts - mean) ** 2 @ chances))


@OBJECTIVES.add(
    "phrases",
    title="Phrase masking",
    zh=("短语掩码", "先整体掩码名单里的短语和名称，余下的份额掩码别的整词。"),
    paper="Sun et al. 2019, section 3.2",
    settings=Phrases,
    traits={"whole"},
    stage="token",
    learnt_by=("ERNIE",),
    frame="bounded",
    order=1.8,
    rates=Rates(shares=shares, asked=asked_of),
)
def phrases(ids: NDArray[np.int64], s: Phrases, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Masks the phrases of a list as wholes, and whole words where there is room left."""
    units, listed = units_of(ids, s.listed, vocabulary)
    most, keys = budget(units, s.rate, dice), dice.random(ids.shape[1])
    keys = together(keys, units) - listed  # what is listed is visited first
    first = np.take_along_axis(units, np.where(listed, keys, 0).argmin(axis=1, keepdims=True), axis=1)  # (B, 1)
    most = np.where(listed.any(axis=1), np.maximum(most, (units == first).sum(axis=1)), most)
    asked = grams(units, np.ones_like(units), keys, most)  # (B, T)
    return blanked(ids, asked, dice.random(ids.shape[1]), s, vocabulary, dice)


def units_of(
    ids: NDArray[np.int64], listed: tuple[str, ...], vocabulary: Vocabulary
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """What is hidden as a whole, a word or what is ``listed``, numbered along each row, -1 at special tokens; and what
    of it is listed: (B, T)."""
    words = vocabulary.words(ids)
    found = _found(ids, listed, vocabulary)  # (B, T)
    starts = np.ones(words.shape, dtype=bool)
    same = (found[:, 1:] >= 0) & (found[:, 1:] == found[:, :-1])
    starts[:, 1:] = (found[:, 1:] != found[:, :-1]) | ~same & (words[:, 1:] != words[:, :-1])
    return np.where(words < 0, -1, starts.cumsum(axis=1)), found >= 0


def _found(ids: NDArray[np.int64], listed: tuple[str, ...], vocabulary: Vocabulary) -> NDArray[np.int64]:
    """The number of the phrase that each token is part of, -1 where it is part of none: (B, T)."""
    b, t = ids.shape
    found = np.full(b * (t + 1), -1, dtype=np.int64)
    pattern = _pattern(listed)
    if pattern is None:
        return found.reshape(b, t + 1)[:, :t]
    rows = np.column_stack([ids, np.full(b, vocabulary.mask)])  # nothing goes on from one row to the next
    spelt = [each or b"\0" for each in vocabulary.spelt(rows.ravel())]
    ends = np.cumsum([len(each) for each in spelt])
    for number, match in enumerate(pattern.finditer(b"".join(spelt))):
        first, last = np.searchsorted(ends, [match.start(), match.end() - 1], side="right")
        found[first : last + 1] = found[first] if found[first] >= 0 else number  # two may share a Chinese token
    return found.reshape(b, t + 1)[:, :t]


@lru_cache(maxsize=16)
def _pattern(listed: tuple[str, ...]) -> re.Pattern[bytes] | None:
    """What finds any of the phrases in a text's bytes, the longest first; capital or small, and never inside a word."""
    return re.compile(b"|".join(map(_spelling, listed)), re.IGNORECASE) if listed else None


def _spelling(phrase: str) -> bytes:
    """A phrase as it may be spelt: some tokenizers put a blank before Chinese characters and punctuation."""
    parts = [b" +" if each == " " else re.escape(each.encode("utf-8", "replace")) for each in phrase]
    alone = [opens(each.encode("utf-8", "replace")) for each in phrase]  # Chinese, punctuation, blanks
    for place in range(len(parts) - 1, 0, -1):
        if " " not in phrase[place - 1 : place + 1] and (alone[place] or alone[place - 1]):
            parts.insert(place, b" ?")
    before, behind = (b"" if edge else b"[0-9A-Za-z]" for edge in (alone[0], alone[-1]))
    return (b"(?<!%b)" % before if before else b"") + b"".join(parts) + (b"(?!%b)" % behind if behind else b"")
