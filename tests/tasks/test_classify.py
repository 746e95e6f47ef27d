"""Sentence classification: rows by hand, what does not fit, and who may look at whom."""

import numpy as np

from lab.settings import Settings
from lab.tasks.classify import classify
from lab.vocabulary import SPECIALS, Vocabulary

VOCABULARY = Vocabulary(size=12, specials={name: number for number, name in enumerate(SPECIALS)})


def row(*ids: int) -> np.ndarray:
    """A row that nobody may write to."""
    found = np.array(ids, dtype=np.int64)
    found.setflags(write=False)
    return found


def test_texts_are_framed_and_padded_to_the_longest() -> None:
    exercise, real = classify([row(6, 7, 8), row(9), row()], Settings(), VOCABULARY, 10, "all")
    assert exercise.shown.tolist() == [[2, 6, 7, 8, 3], [2, 9, 3, 0, 0], [2, 3, 0, 0, 0]]
    assert real.astype(int).tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]]
    assert not exercise.asked.any()
    assert exercise.shown.dtype == np.int64


def test_a_long_text_keeps_its_end_and_its_frame() -> None:
    exercise, real = classify([row(6, 7, 8, 9, 10)], Settings(), VOCABULARY, 5, "all")
    assert exercise.shown.tolist() == [[2, 8, 9, 10, 3]]
    assert real.all()


def test_who_may_look_at_whom_is_handed_on() -> None:
    assert classify([row(6)], Settings(), VOCABULARY, 5, "causal")[0].visible == "causal"


def test_a_closed_frame_ends_with_the_token_that_sums_up() -> None:
    rows = [row(6, 7, 8), row(*[6, 7, 8, 9] * 3)]
    exercise, real = classify(rows, Settings(), VOCABULARY, 8, "all", "closed")
    begin, separate, pad = VOCABULARY.begin, VOCABULARY.separate, VOCABULARY.pad
    assert exercise.shown.tolist() == [
        [6, 7, 8, separate, begin, pad, pad, pad],
        [8, 9, 6, 7, 8, 9, separate, begin],
    ]
    assert exercise.segments is not None and exercise.segments.sum(1).tolist() == [1, 1]
    assert exercise.shown[exercise.segments == 1].tolist() == [begin, begin] and real.sum(1).tolist() == [5, 8]
