"""How a model is shown labelled texts: which ids, framed by which special tokens, and in how much room.

T tokens
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.entries import ObjectiveEntry
from lab.examples import Unit
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """What a task must know of the model that is to learn it: its tokens, its room, and how its objective frames a text
    and lets tokens look at each other. ``spans`` gives the ids of a text and the characters that each covers (T, 2).
    ``around`` are the tokens before and behind a text of which an imported model was told by its own tokenizer."""

    vocabulary: Vocabulary
    context: int
    visible: Literal["all", "causal"]
    frame: str
    ids: Callable[[str], Ids]
    spans: Callable[[str], tuple[Ids, Ids]]
    objective: ObjectiveEntry
    objective_settings: Any
    around: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def bounds(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The special tokens before and behind a text."""
        return self.around or ((self.vocabulary.begin,), (self.vocabulary.separate,))

    @property
    def room(self) -> int:
        """The most tokens of a text between them."""
        before, behind = self.bounds
        return self.context - len(before) - len(behind)

    @property
    def sums_up_last(self) -> bool:
        """Whether the token that has seen all the others is the last one."""
        return self.frame == "closed" or self.visible == "causal"


@dataclass(frozen=True)
class Framed:
    """One or two texts between special tokens: where the text begins, its pair, and the token that sums both up."""

    ids: Ids  # (T,)
    segments: Ids | None  # (T,)
    text: int
    pair: int
    rest: int


def framed(text: Ids, reader: Reader, pair: Ids | None = None, *, pair_first: bool = False) -> Framed:
    """[CLS] text [SEP], with a pair [CLS] text [SEP] pair [SEP]; where the frame is "closed", [CLS] stands at the end,
    as a segment of its own. RoBERTa's and BART's files have two [SEP] between texts; here one does. What an imported
    model's tokenizer puts ``around`` a text takes their place."""
    begin, separate = reader.bounds
    closed = reader.frame == "closed"
    texts = [text] if pair is None else [pair, text] if pair_first else [text, pair]
    parts = [[], *([*each, *separate] for each in texts)] if closed else [begin, *([*e, *separate] for e in texts)]
    starts = np.cumsum([len(part) for part in parts])
    ids = np.array([*(token for part in parts for token in part), *(begin if closed else [])], dtype=np.int64)
    segments = np.repeat(np.arange(len(texts)), np.diff(starts))
    segments = np.concatenate([segments, [len(texts)]] if closed else [[0] * len(begin), segments]).astype(np.int64)
    places = dict(
        zip(("pair", "text") if pair_first else ("text", "pair"), starts[: len(texts)].tolist(), strict=False)
    )
    return Framed(
        ids,
        segments if closed or pair is not None else None,
        places["text"],
        places.get("pair", 0),
        len(ids) - 1 if reader.sums_up_last else 0,
    )


def shortened(text: Ids, pair: Ids, room: int) -> tuple[Ids, Ids]:
    """Two texts in so much room together: tokens go from the end of the longer one, as in BERT's run_classifier.py."""
    if len(text) + len(pair) <= room:
        return text, pair
    kept = min(len(text), max(room - len(pair), (room + 1) // 2))
    return text[:kept], pair[: room - kept]


def shown(framing: Framed, reader: Reader, **about: Any) -> Unit:
    """The unit of one framed row, of which no token is asked; ``about`` is what is asked about the row."""
    ids = framing.ids[None]
    segments = None if framing.segments is None else framing.segments[None]
    nothing = np.zeros(ids.shape, dtype=bool)
    return Unit(
        exercise=Exercise(shown=ids, asked=nothing, answers=ids, visible=reader.visible, segments=segments), **about
    )


def windows(length: int, room: int, stride: int) -> list[range]:
    """Where to cut a text of this length into pieces with room for so many tokens, each ``stride`` behind the one
    before; the last ends with the text."""
    last = max(length - room, 0)
    return [range(start, min(start + room, length)) for start in [*range(0, last, stride), last]]
