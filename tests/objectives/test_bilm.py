"""Bidirectional language modelling: a row by hand."""

import numpy as np
from scripted import SIX

from lab.noise import Dice
from lab.objectives.bilm import asking, bilm
from lab.settings import Settings


def test_six_words_by_hand() -> None:
    ids = np.array([[6, 7, 8, 9, 6, 10]])  # the cat sat on the mat
    exercise = bilm(ids, Settings(), SIX, Dice(0))
    assert exercise.shown.tolist() == [[6, 7, 8, 9, 6, 10]] and np.flatnonzero(exercise.asked[0]).tolist() == [
        1,
        2,
        3,
        4,
    ]
    assert exercise.answers[exercise.asked].tolist() == [7, 8, 9, 6]
    assert exercise.table()[2].tolist() == [True, True, False, True, True, True]  # "sat" is judged from both sides


def test_every_token_between_two_others_is_asked_and_nothing_is_hidden() -> None:
    ids = np.array([[6, 7, 8, 9, 0, 0], [6, 7, 8, 9, 10, 11], [6, 7, 0, 0, 0, 0]])
    exercise = bilm(ids, Settings(), SIX, Dice(0))
    assert exercise.asked.astype(int).tolist() == [[0, 1, 1, 0, 0, 0], [0, 1, 1, 1, 1, 0], [0] * 6]
    assert np.array_equal(exercise.shown, ids) and np.array_equal(exercise.answers, ids) and not exercise.following


def test_a_token_is_seen_by_all_but_itself() -> None:
    exercise = bilm(np.array([[6, 7, 8, 9]]), Settings(), SIX, Dice(0))
    assert np.array_equal(exercise.table(), ~np.eye(4, dtype=bool))


def test_a_trained_model_is_asked_for_every_gap_at_the_ends_too() -> None:
    exercise = asking(np.array([[SIX.mask, 7, SIX.mask, 8]]), Settings(), SIX)
    assert exercise.asked.tolist() == [[True, False, True, False]]
