"""Masked language modelling: a case worked by hand, the shares, and what must never happen."""

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scripted import LARGE, SIX, Scripted

from lab.noise import Dice
from lab.objectives.mlm import Mlm, mlm
from lab.settings import SettingsError

ROWS, TOKENS = 400, 300  # 120,000 tokens


@pytest.fixture(scope="module")
def text() -> NDArray[np.int64]:
    ids = np.random.default_rng(0).integers(6, 1006, (ROWS, TOKENS))
    ids.setflags(write=False)
    return ids


def within(share: float, expected: float, n: int) -> bool:
    """Whether a share of n draws is within three standard errors of what is expected."""
    return abs(share - expected) <= 3 * sqrt(expected * (1 - expected) / n)


def test_six_words_by_hand() -> None:
    ids = np.array([[2, 6, 7, 8, 9, 6, 10, 3]])  # [CLS] the cat sat on the mat [SEP]
    dice = Scripted(
        [0.2],  # floor(0.5 * 6 + 0.2) = 3 are asked
        [0.0, 0.9, 0.1, 0.5, 0.3, 0.8, 0.2, 0.0],  # the smallest of the words': cat, mat, on
        [0.0, 0.0, 0.50, 0.0, 0.85, 0.0, 0.95, 0.0],  # cat is masked, on made random, mat kept
        [0.0, 0.0, 0.0, 0.0, 0.7, 0.0, 0.0, 0.0],  # the fifth of six words
    )
    exercise = mlm(ids, Mlm(share=0.5), SIX, dice)
    assert exercise.shown.tolist() == [[2, 6, 4, 8, 10, 6, 10, 3]]
    assert exercise.asked.tolist() == [[False, False, True, False, True, False, True, False]]
    assert exercise.answers[exercise.asked].tolist() == [7, 9, 10]
    assert exercise.table().all()
    assert not dice.left


def test_the_shares_are_those_of_the_settings(text: NDArray[np.int64]) -> None:
    exercise = mlm(text, Mlm(), LARGE, Dice(1, np.arange(ROWS)))
    asked = exercise.asked
    n = int(asked.sum())
    masked = (exercise.shown == LARGE.mask)[asked].mean()
    kept = (exercise.shown == text)[asked].mean()
    assert n == 0.15 * text.size  # 45 of every 300
    assert within(masked, 0.8, n)
    assert within(kept, 0.1 + 0.1 / 1000, n)  # one random word in a thousand is the word itself
    assert within(1 - masked - kept, 0.1 - 0.1 / 1000, n)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_other_rates_ask_for_their_share(text: NDArray[np.int64], share: float) -> None:
    assert mlm(text, Mlm(share=share), LARGE, Dice(2, np.arange(ROWS))).asked.mean() == pytest.approx(share, abs=1e-9)


def test_all_places_are_asked_alike(text: NDArray[np.int64]) -> None:
    asked = mlm(text, Mlm(), LARGE, Dice(3, np.arange(ROWS))).asked.sum(axis=0)  # (T,)
    spread = ((asked - 0.15 * ROWS) ** 2 / (0.15 * 0.85 * ROWS)).sum()
    assert abs(spread - TOKENS) < 4 * sqrt(2 * TOKENS)


def test_random_tokens_are_drawn_evenly_from_the_ordinary_ones(text: NDArray[np.int64]) -> None:
    exercise = mlm(text, Mlm(share=1.0, mask=0.0, random=1.0), LARGE, Dice(4, np.arange(ROWS)))
    counts = np.bincount(exercise.shown.ravel(), minlength=LARGE.size)
    assert not counts[:6].any()
    expected = text.size / 1000
    spread = ((counts[6:] - expected) ** 2 / expected).sum()
    assert abs(spread - 1000) < 4 * sqrt(2 * 1000)


def test_what_is_not_asked_is_shown_as_it_is(text: NDArray[np.int64]) -> None:
    exercise = mlm(text, Mlm(), LARGE, Dice(5, np.arange(ROWS)))
    assert (exercise.shown == text)[~exercise.asked].all()


def test_shown_and_answers_give_the_original_back(text: NDArray[np.int64]) -> None:
    exercise = mlm(text, Mlm(share=0.5), LARGE, Dice(6, np.arange(ROWS)))
    assert (np.where(exercise.asked, exercise.answers, exercise.shown) == text).all()


def test_special_tokens_are_never_asked() -> None:
    ids = np.random.default_rng(1).integers(0, 12, (500, 40))
    ids.setflags(write=False)
    exercise = mlm(ids, Mlm(share=1.0), SIX, Dice(7, np.arange(500)))
    assert (exercise.asked == (ids >= 6)).all()


def test_a_row_without_words_asks_nothing() -> None:
    assert not mlm(np.array([[2, 3, 0, 0]]), Mlm(share=1.0), SIX, Dice(0)).asked.any()


def test_an_exact_share_leaves_nothing_to_chance() -> None:
    ids = np.full((300, 100), 9)
    asked = mlm(ids, Mlm(share=0.15), LARGE, Dice(8, np.arange(300))).asked.sum(axis=1)
    assert set(asked) == {15}


def test_a_broken_share_is_rounded_down_or_up_and_right_on_average() -> None:
    ids = np.full((10_000, 10), 9)
    asked = mlm(ids, Mlm(share=0.15), LARGE, Dice(9, np.arange(10_000))).asked.sum(axis=1)
    assert set(asked) == {1, 2}
    assert within((asked == 2).mean(), 0.5, 10_000)


def test_the_same_key_masks_the_same_and_another_epoch_differently(text: NDArray[np.int64]) -> None:
    first, again, later = (mlm(text, Mlm(), LARGE, Dice(10, np.arange(ROWS), epoch)) for epoch in (0, 0, 1))
    assert (first.shown == again.shown).all() and (first.asked == again.asked).all()
    assert (first.asked != later.asked).any(axis=1).all()


def test_the_text_is_left_untouched(text: NDArray[np.int64]) -> None:
    before = text.copy()
    exercise = mlm(text, Mlm(), LARGE, Dice(11, np.arange(ROWS)))
    assert (text == before).all()
    assert not np.shares_memory(exercise.shown, text)


def test_shares_above_one_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"mask 0.8 and random 0.3 add up to more than 1"):
        Mlm(mask=0.8, random=0.3)
    assert Mlm(mask=0.7, random=0.3).mask == 0.7
