"""What an objective makes of a visitor's own text.

B rows   T tokens
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.batch import Document, Exercise, Pair
from lab.data.batches import drawn_in
from lab.data.corpus import marked
from lab.data.rows import packed
from lab.data.stream import in_sentences, stream_of
from lab.data.template import framed, framed_pairs, with_segments
from lab.entries import ObjectiveEntry
from lab.noise import Dice
from lab.runs.run import ANYWHERE, FULL_SENTENCES
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.vocabulary import MASK, Vocabulary

# Where a text is too short to have a stranger's sentences, they are borrowed from here.
STRANGERS = (
    "The ferry leaves at nine. Nobody on the quay has seen the captain.",
    "渡船九点开出。码头上没有人见过船长。",
)


@dataclass(frozen=True)
class Corrupted:
    """A text as one objective sees it: one row, with the answer about the pair where there is one.

    ``tokenizer`` knows the objective's own marks besides the text.
    """

    original: NDArray[np.int64]  # (T,) the framed text before anything was disturbed
    exercise: Exercise  # B = 1
    tokenizer: Tokenizer
    pair: int | None = None
    gaps: tuple[str, ...] = (MASK,)  # the special tokens that stand for something missing

    def kinds(self, vocabulary: Vocabulary) -> list[str]:
        """What was done to each token: "masked", "replaced", "kept" (asked all the same), or "" for nothing. Where the
        next token is asked, only a blank is anything else."""
        if self.exercise.following:
            return ["masked" if i == vocabulary.gap else "" for i in self.exercise.shown[0].tolist()]
        shown, asked = self.exercise.shown[0], self.exercise.asked[0]
        done = np.where(shown == vocabulary.gap, "masked", np.where(shown == self.original, "kept", "replaced"))
        return [str(kind) for kind in np.where(asked, done, "")]


def corrupt(
    text: str,
    objective: ObjectiveEntry,
    tokenizer: Tokenizer,
    values: dict[str, Any] | None = None,
    *,
    seed: int = 0,
    epoch: int = 0,
    row: int = 0,
    longest: int = 512,
    packing: str = ANYWHERE,
) -> Corrupted:
    """The exercise that ``objective`` makes of ``text``. Same seed, row and epoch: same exercise; an objective whose
    masks are static looks at the epoch's copy only. Where the text is packed, it is the exercise of that row."""
    settings = objective.settings.load(values or {})
    tokenizer = marked(tokenizer, objective)
    vocabulary = tokenizer.vocabulary
    drawn = drawn_in(settings, np.array(epoch))
    if objective.stage == "pair":
        pairs = pairing(text, objective, settings, tokenizer, longest)
        return _paired(pairs.draw(Dice(seed, row, drawn)), tokenizer)
    ids = encoded(tokenizer, text)[: longest - 2]
    ids = ids if packing == ANYWHERE else _row(text, tokenizer, longest, packing, row)
    ids = framed(ids, objective.frame, vocabulary)
    exercise = objective.build(ids[None], settings, vocabulary, Dice(seed, row, drawn))
    ids = ids if exercise.backwards is None else exercise.shown[0]  # where rows may be turned round, none is disturbed
    writes = objective.seq2seq(settings)
    return Corrupted(ids, exercise, tokenizer, gaps=(MASK, *(writes.says if writes else ())))


def nothing_to_read() -> SettingsError:
    """What is said where a text has no token."""
    return SettingsError("type some text first", "请先输入文本")


@lru_cache(maxsize=256)
def encoded(tokenizer: Tokenizer, text: str) -> NDArray[np.int64]:
    """The ids of a text (T,), to be read only: a page asks for those of one text once for every objective. Raises
    SettingsError where nothing is left of the text."""
    ids = tokenizer.encode(text)
    if not text.strip() or not len(ids):
        raise nothing_to_read()
    ids.flags.writeable = False
    return ids


def _row(text: str, tokenizer: Tokenizer, longest: int, packing: str, row: int) -> NDArray[np.int64]:
    """One row of a text that is packed in whole sentences; a blank line ends a document."""
    stream = stream_of([Document(paragraph) for paragraph in _BLANK_LINE.split(text) if paragraph.strip()], tokenizer)
    ends = np.flatnonzero(stream.ids == tokenizer.vocabulary.end) + 1
    rows = packed(stream.sentences, ends, longest - 2, crossing=packing == FULL_SENTENCES)
    if not 0 <= row < len(rows):
        raise SettingsError(
            f"there is no row {row}: the text has rows 0 to {len(rows) - 1}",
            f"没有第 {row} 行：这段文字有第 0 到 {len(rows) - 1} 行",
        )
    start, end = rows[row]
    return stream.ids[start:end].astype(np.int64)


_BLANK_LINE = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class Pairing:
    """How a pair objective draws two parts from a text's sentences."""

    objective: ObjectiveEntry
    settings: Any
    own: list[NDArray[np.int64]]  # the text's sentences
    others: list[NDArray[np.int64]]  # a stranger's
    length: int  # of both parts together

    def draw(self, dice: Dice) -> Pair:
        """One pair."""
        pair: Pair = self.objective.build(self.own, lambda: self.others, self.length, self.settings, dice)
        return pair


def pairing(text: str, objective: ObjectiveEntry, settings: Any, tokenizer: Tokenizer, longest: int) -> Pairing:
    """Ready to draw pairs from ``text``; ``longest`` counts the three special tokens, too. Raises SettingsError where
    the text has no sentence."""
    stranger = STRANGERS[any("一" <= character <= "鿿" for character in text)]
    own, others = (
        [ids for ids in _sentences(tokenizer, passage) if tokenizer.decode(ids).strip()] for passage in (text, stranger)
    )
    if not own:
        raise nothing_to_read()
    return Pairing(objective, settings, _filling(own, longest - 3), others, longest - 3)


@lru_cache(maxsize=256)
def _sentences(tokenizer: Tokenizer, text: str) -> list[NDArray[np.int64]]:
    """The ids of each sentence of a text, to be read only."""
    return in_sentences([text], tokenizer)[0]


def _filling(sentences: list[NDArray[np.int64]], length: int) -> list[NDArray[np.int64]]:
    """The first sentences, as many as fill ``length``: training cuts its text into such runs, too."""
    ends = np.cumsum([len(sentence) for sentence in sentences])
    return sentences[: int(np.searchsorted(ends, length)) + 1]


def _paired(pair: Pair, tokenizer: Tokenizer) -> Corrupted:
    ids, segments, _, answers = framed_pairs([pair], tokenizer.vocabulary)
    nothing = Exercise(shown=ids, asked=np.zeros(ids.shape, dtype=bool), answers=ids, visible="all")
    return Corrupted(ids[0], with_segments(nothing, segments), tokenizer, int(answers[0]))
