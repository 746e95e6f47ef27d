"""What an objective makes of a visitor's own text.

B rows   T tokens
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise, Pair
from lab.engine.data import framed_pairs, sentences_of, with_segments
from lab.noise import Dice
from lab.registry import Entry
from lab.settings import SettingsError
from lab.vocab import Tokenizer, Vocabulary

# Where a text is too short to have a stranger's sentences, they are borrowed from here.
STRANGERS = (
    "The ferry leaves at nine. Nobody on the quay has seen the captain.",
    "渡船九点开出。码头上没有人见过船长。",
)


@dataclass(frozen=True)
class Corrupted:
    """A text as one objective sees it: one row, with the answer about the pair where there is one."""

    original: NDArray[np.int64]  # (T,) the framed text before anything was disturbed
    exercise: Exercise  # B = 1
    pair: int | None = None


def corrupt(
    text: str,
    objective: Entry,
    tokenizer: Tokenizer,
    values: dict[str, Any] | None = None,
    *,
    seed: int = 0,
    epoch: int = 0,
    row: int = 0,
    longest: int = 512,
) -> Corrupted:
    """The exercise that ``objective`` makes of ``text``. Same seed, row and epoch: same exercise; an objective whose
    masks are static does not look at the epoch."""
    settings = objective.settings.load(values or {})
    vocabulary = tokenizer.vocabulary
    if not text.strip():
        raise SettingsError("type some text first", "请先输入文本")
    epoch = epoch if getattr(settings, "dynamic", True) else 0
    if objective.extra["stage"] == "pair":
        return _paired(_pair(text, objective, settings, tokenizer, Dice(seed, row, epoch), longest), vocabulary)
    ids = tokenizer.encode(text)[: longest - 2]
    if objective.extra["frame"] == "bounded":
        ids = np.concatenate([[vocabulary.begin], ids, [vocabulary.separate]]).astype(np.int64)
    return Corrupted(ids, objective.build(ids[None], settings, vocabulary, Dice(seed, row, epoch)))


def _pair(text: str, objective: Entry, settings: Any, tokenizer: Tokenizer, dice: Dice, longest: int) -> Pair:
    sentences = [tokenizer.encode(sentence) for sentence in sentences_of(text) if sentence.strip()]
    stranger = STRANGERS[any("一" <= character <= "鿿" for character in text)]

    def other() -> Sequence[NDArray[np.int64]]:
        return [tokenizer.encode(sentence) for sentence in sentences_of(stranger)]

    pair: Pair = objective.build(sentences, other, longest - 3, settings, dice)
    return pair


def _paired(pair: Pair, vocabulary: Vocabulary) -> Corrupted:
    ids, segments, _, answers = framed_pairs([pair], vocabulary)
    nothing = Exercise(shown=ids, asked=np.zeros(ids.shape, dtype=bool), answers=ids, visible="all")
    return Corrupted(ids[0], with_segments(nothing, segments), int(answers[0]))
