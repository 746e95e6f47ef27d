"""Causal language modelling: a case worked by hand, and padding."""

import numpy as np
from scripted import LARGE, SIX, Scripted

from lab.noise import Dice
from lab.objectives.clm import clm
from lab.settings import Settings


def test_six_words_by_hand() -> None:
    ids = np.array([[6, 7, 8, 9, 6, 10]])  # the cat sat on the mat
    exercise = clm(ids, Settings(), SIX, Scripted())
    assert exercise.shown.tolist() == [[6, 7, 8, 9, 6, 10]]
    assert exercise.asked.tolist() == [[True, True, True, True, True, False]]
    assert exercise.answers[exercise.asked].tolist() == [7, 8, 9, 6, 10]
    assert exercise.table().astype(int).tolist() == [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 0],
        [1, 1, 1, 1, 1, 1],
    ]


def test_padding_is_never_asked_and_the_end_is() -> None:
    exercise = clm(np.array([[6, 7, 5, 0, 0], [0, 0, 6, 7, 5]]), Settings(), SIX, Dice(0, [0, 1]))
    assert exercise.asked.astype(int).tolist() == [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]]
    assert exercise.answers[exercise.asked].tolist() == [7, 5, 7, 5]


def test_one_token_has_no_next() -> None:
    assert not clm(np.array([[6]]), Settings(), SIX, Dice(0)).asked.any()


def test_shown_and_answers_give_the_original_back() -> None:
    ids = np.random.default_rng(0).integers(6, 1006, (50, 30))
    ids.setflags(write=False)
    exercise = clm(ids, Settings(), LARGE, Dice(0, np.arange(50)))
    assert exercise.asked.sum() == 50 * 29
    assert (np.column_stack([exercise.shown[:, :1], exercise.answers[:, :-1]]) == ids).all()
    assert not np.shares_memory(exercise.shown, ids)
