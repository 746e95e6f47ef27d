"""Windows: a case worked by hand, the reach as a distribution, and what is dropped.

B rows   T tokens
"""

from dataclasses import replace

import numpy as np
import pytest
from scripted import LARGE, SIX, bound, chi_square

from lab.noise import Dice
from lab.objectives.window import Window, asking, window


def test_six_words_by_hand() -> None:
    """Reach 1: each word sees its neighbours; the end of a text is no word, and no window passes it."""
    exercise = window(np.array([[6, 7, 8, 5, 9, 6]]), Window(reach=1), SIX, Dice(0))
    assert exercise.visible[0].astype(int).tolist() == [  # type: ignore[index, union-attr]
        [0, 1, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 1, 0],
    ]
    assert exercise.asked.tolist() == [[True, True, True, False, True, True]]
    assert exercise.answers.tolist() == exercise.shown.tolist() == [[6, 7, 8, 5, 9, 6]]


def test_every_reach_up_to_the_longest_is_as_likely() -> None:
    ids = np.full((12_000, 13), LARGE.ordinary[0])
    table = window(ids, Window(reach=5), LARGE, Dice(1, np.arange(12_000))).table()
    middle = table[:, 6]  # (B, T)
    assert not middle[:, 6].any() and np.array_equal(middle, middle[:, ::-1]) and not middle[:, 12].any()
    reach = middle[:, 7:].sum(1)
    assert (middle[:, 7:] == (np.arange(1, 7) <= reach[:, None])).all()
    assert chi_square(np.bincount(reach, minlength=6)[1:], np.full(5, 0.2)) < bound(4)


def test_common_tokens_are_dropped_by_the_rule_of_the_code_and_others_stand_closer() -> None:
    common, rare = LARGE.ordinary[:2]
    counts = np.zeros(LARGE.size, dtype=np.int64)
    counts[common], counts[rare] = 90_000, 10
    known = replace(LARGE, counts=counts)
    rows = 60_000
    ids = np.tile([rare, common, rare], (rows, 1))
    exercise = window(ids, Window(reach=1, sample=0.25), known, Dice(2, np.arange(rows)))
    f = 90_000 / 90_010 / 0.25  # where the paper's rule would keep half, the code's keeps three quarters
    kept = exercise.asked[:, 1].mean()
    share = (np.sqrt(f) + 1) / f
    assert kept == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / rows))
    assert exercise.asked[:, [0, 2]].all()
    dropped = ~exercise.asked[:, 1]
    assert exercise.table()[dropped, 0, 2].all() and not exercise.table()[~dropped, 0, 2].any()


def test_without_counts_nothing_is_dropped() -> None:
    ids = np.tile(LARGE.ordinary[:2], (50, 4))
    assert window(ids, Window(), LARGE, Dice(0, np.arange(50))).asked.all()


def test_a_trained_model_is_asked_with_a_whole_window() -> None:
    ids = np.array([[6, 7, SIX.mask, 9, 6, 10, 6, 7, 8, 9]])
    exercise = asking(ids, Window(), SIX)
    assert exercise.asked.tolist() == [[i == 2 for i in range(10)]]
    assert np.flatnonzero(exercise.table()[2]).tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert np.flatnonzero(asking(ids, Window(reach=1), SIX).table()[2]).tolist() == [1, 3]
