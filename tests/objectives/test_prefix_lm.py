"""Prefix language modelling: cases worked by hand, the published packing, and where texts are cut."""

import numpy as np
import pytest
from scripted import LARGE, SIX, Scripted

from lab.noise import Dice
from lab.objectives.prefix_lm import Prefix, lengths, prefix_lm
from lab.settings import SettingsError


def test_six_words_by_hand() -> None:
    ids = np.array([[6, 7, 8, 9, 6, 10]])  # the cat sat on the mat
    dice = Scripted([0.5])  # one of 1, 2, 3, 4, 5 tokens are given: 3
    exercise = prefix_lm(ids, Prefix(), SIX, dice)
    assert exercise.shown.tolist() == [[6, 7, 8, 9, 6, 10]]
    assert exercise.asked.astype(int).tolist() == [[0, 0, 1, 1, 1, 0]]
    assert exercise.answers[exercise.asked].tolist() == [9, 6, 10]
    assert exercise.table()[0].astype(int).tolist() == [
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 0],
        [1, 1, 1, 1, 1, 1],
    ]
    assert exercise.following and not dice.left


def test_the_packing_is_that_of_the_published_code() -> None:
    """There a zero stands in front, and so the part that is seen both ways is one longer than the cut says."""
    begun = np.array([[6, 9, 10, 11, 7, 8, 9, 10, 11]])  # something in front, and eight targets cut at the third
    exercise = prefix_lm(begun, Prefix(least=0.45, most=0.45), LARGE, Dice(0))
    assert exercise.asked[0, :-1].astype(int).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert exercise.table()[0, 0].astype(int).tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 0]


def test_padding_is_never_asked() -> None:
    padded = np.array([[6, 8, 9, 10, 11, 7, 8, 0, 0]])
    exercise = prefix_lm(padded, Prefix(least=0.6, most=0.6), LARGE, Dice(0))
    assert exercise.asked[0].astype(int).tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0]
    assert exercise.real is not None and exercise.real[0].tolist() == [True] * 7 + [False] * 2
    assert not prefix_lm(np.array([[6, 0]]), Prefix(), SIX, Dice(0)).asked.any()  # one token is no exercise


def test_every_cut_is_as_likely_and_neither_part_is_empty() -> None:
    cuts = lengths(np.full(20_000, 11), Prefix(), Dice(1, np.arange(20_000)).random(1)[:, 0])
    found = np.bincount(cuts, minlength=12)
    assert found[0] == found[11] == 0
    assert ((found[1:11] - 2000) ** 2 / 2000).sum() < 27.9  # chi-square, nine degrees, one in a thousand


def test_what_is_given_stays_within_its_bounds() -> None:
    luck = np.linspace(0, 1, 1000, endpoint=False)
    cuts = lengths(np.full(1000, 20), Prefix(least=0.25, most=0.5), luck)
    assert {*cuts.tolist()} == {5, 6, 7, 8, 9, 10}
    with pytest.raises(SettingsError, match="least 0.6 is more than most 0.5"):
        Prefix(least=0.6, most=0.5)


def test_what_is_given_and_what_is_asked_are_the_text() -> None:
    ids = np.random.default_rng(0).integers(6, 1006, (50, 30))
    ids.setflags(write=False)
    exercise = prefix_lm(ids, Prefix(), LARGE, Dice(0, np.arange(50)))
    for row, original in enumerate(ids):
        given = exercise.table()[row, 0]
        assert [*original[given], *exercise.answers[row][exercise.asked[row]]] == [*original]
