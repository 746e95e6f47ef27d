"""The generator's half of replaced-token detection: a case worked by hand, the shares, and what must never happen."""

from math import sqrt

import numpy as np
from scripted import LARGE, SIX, Scripted

from lab.noise import Dice
from lab.objectives.rtd import Rtd, rtd

ROWS, TOKENS = 400, 300


def test_six_words_by_hand() -> None:
    ids = np.array([[2, 6, 7, 8, 9, 6, 10, 3]])  # [CLS] the cat sat on the mat [SEP]
    dice = Scripted(
        [0.2],  # floor(0.5 * 6 + 0.2) = 3 are asked
        [0.0, 0.9, 0.1, 0.5, 0.3, 0.8, 0.2, 0.0],  # the smallest of the words': cat, mat, on
        [0.0, 0.0, 0.84, 0.0, 0.85, 0.0, 0.0, 0.0],  # cat and mat are masked, on is left
    )
    exercise = rtd(ids, Rtd(share=0.5), SIX, dice)
    assert exercise.shown.tolist() == [[2, 6, 4, 8, 9, 6, 4, 3]]
    assert np.flatnonzero(exercise.asked[0]).tolist() == [2, 4, 6]
    assert exercise.answers[exercise.asked].tolist() == [7, 9, 10]
    assert exercise.table().all() and not dice.left


def test_85_in_100_of_the_asked_are_masked_and_the_rest_are_as_they_were() -> None:
    ids = np.random.default_rng(0).integers(6, 1006, (ROWS, TOKENS))
    exercise = rtd(ids, Rtd(), LARGE, Dice(1, np.arange(ROWS)))
    masked = exercise.shown == LARGE.mask
    n = int(exercise.asked.sum())
    assert n == 0.15 * ids.size and not (masked & ~exercise.asked).any()
    assert abs(masked.sum() / n - 0.85) <= 3 * sqrt(0.85 * 0.15 / n)
    assert (exercise.shown == ids)[~masked].all()


def test_special_tokens_are_never_asked() -> None:
    ids = np.random.default_rng(1).integers(0, 12, (500, 40))
    assert (rtd(ids, Rtd(share=1.0), SIX, Dice(7, np.arange(500))).asked == (ids >= 6)).all()
