"""A vocabulary of ten digits, of which each character of a text is one, so that every row can be written down."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.catalog import OBJECTIVES
from lab.tasks.parts.reader import Reader
from lab.vocabulary import SPECIALS, Vocabulary

VOCABULARY = Vocabulary(size=12, specials={name: number for number, name in enumerate(SPECIALS)})


def ids(text: str) -> NDArray[np.int64]:
    """The id of each digit is the digit; nobody may write to the row."""
    found = np.array([int(character) for character in text], dtype=np.int64)
    found.setflags(write=False)
    return found


def reader(context: int, *, visible: Any = "all", frame: str = "bounded", objective: str = "mlm") -> Reader:
    """A model that reads so much of a text in this frame."""

    def spans(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        place = np.arange(len(text))
        return ids(text), np.stack([place, place + 1], 1)

    entry = OBJECTIVES[objective]
    return Reader(
        vocabulary=VOCABULARY,
        context=context,
        visible=visible,
        frame=frame,
        ids=ids,
        spans=spans,
        objective=entry,
        objective_settings=entry.settings(),
    )
