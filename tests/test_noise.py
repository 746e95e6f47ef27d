"""Chance that can be repeated: streams of their own for every row, and an exact share without replacement."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.masking import choose
from lab.noise import Dice

ROWS = 2000


def test_the_same_key_falls_the_same() -> None:
    assert (Dice(1, [4, 7], 2).random(50) == Dice(1, [4, 7], 2).random(50)).all()


def test_a_row_does_not_care_who_is_beside_it() -> None:
    together = Dice(1, [9, 4, 7], 2).random(50)
    alone = Dice(1, 4, 2).random(50)
    assert (together[1] == alone[0]).all()


def test_drawing_at_once_is_drawing_bit_by_bit() -> None:
    whole, parts = Dice(1, [4, 7]), Dice(1, [4, 7])
    assert (whole.random(30) == np.concatenate([parts.random(10), parts.random(0), parts.random(20)], axis=1)).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [(Dice(1, 4, 2), Dice(1, 4, 3)), (Dice(1, 4, 2), Dice(1, 5, 2)), (Dice(1, 4, 2), Dice(2, 4, 2))],
)
def test_another_epoch_row_or_seed_falls_differently(one: Dice, other: Dice) -> None:
    assert (one.random(100) != other.random(100)).all()


def test_equal_numbers_in_other_roles_fall_differently() -> None:
    assert (
        len({float(Dice(*key).one()) for key in [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)]})
        == 6
    )


def test_rows_may_be_in_epochs_of_their_own() -> None:
    mixed = Dice(1, [4, 7], [0, 3]).random(20)
    assert (mixed[0] == Dice(1, 4, 0).random(20)).all()
    assert (mixed[1] == Dice(1, 7, 3).random(20)).all()


def test_the_numbers_are_uniform() -> None:
    draws = Dice(0, np.arange(ROWS)).random(100)
    assert draws.shape == (ROWS, 100)
    assert draws.min() >= 0 and draws.max() < 1
    expected = draws.size / 100
    spread = ((np.histogram(draws, 100, (0, 1))[0] - expected) ** 2 / expected).sum()
    assert abs(spread - 99) < 4 * sqrt(2 * 99)


def test_neighbouring_rows_epochs_and_draws_are_independent() -> None:
    rows = Dice(0, np.arange(ROWS)).random(100)
    later = Dice(0, np.arange(ROWS), 1).random(100)
    bound = 4 / sqrt(rows.size)
    assert abs(np.corrcoef(rows[:-1].ravel(), rows[1:].ravel())[0, 1]) < bound
    assert abs(np.corrcoef(rows[:, :-1].ravel(), rows[:, 1:].ravel())[0, 1]) < bound
    assert abs(np.corrcoef(rows.ravel(), later.ravel())[0, 1]) < bound


def test_one_at_a_time_is_uniform_and_never_repeats() -> None:
    dice = Dice(3)
    draws = [dice.one() for _ in range(5000)]
    assert len(set(draws)) == 5000
    assert abs(np.mean(draws) - 0.5) < 4 / sqrt(12 * 5000)


def test_whole_numbers_stay_in_their_range_and_are_uniform() -> None:
    draws = Dice(0, np.arange(ROWS)).integers(3, 8, 50)
    counts = np.bincount(draws.ravel())
    assert draws.dtype == np.int64
    assert counts[:3].sum() == 0 and len(counts) == 8
    assert counts[3:] == pytest.approx(draws.size / 5, abs=4 * sqrt(draws.size * 4 / 25))


def test_a_negative_seed_is_a_seed() -> None:
    assert Dice(-1).one() != Dice(1).one()


def test_an_exact_share_is_chosen_in_every_row() -> None:
    chosen = choose(np.ones((ROWS, 40), dtype=bool), 0.25, Dice(0, np.arange(ROWS)))
    assert (chosen.sum(axis=1) == 10).all()


def test_a_broken_share_is_right_on_average() -> None:
    count = choose(np.ones((ROWS, 10), dtype=bool), 0.33, Dice(0, np.arange(ROWS))).sum(axis=1)  # 3.3 of 10
    assert set(count) == {3, 4}
    assert abs((count == 4).mean() - 0.3) < 3 * sqrt(0.21 / ROWS)


def test_every_candidate_is_as_likely() -> None:
    hits = choose(np.ones((ROWS, 20), dtype=bool), 0.3, Dice(5, np.arange(ROWS))).sum(axis=0)
    assert hits == pytest.approx(0.3 * ROWS, abs=4 * sqrt(ROWS * 0.21))


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.floats(0.01, 1), st.integers(0, 2**31))
def test_only_candidates_are_chosen_and_at_least_one(row: list[bool], share: float, seed: int) -> None:
    candidates = np.array([row])
    chosen = choose(candidates, share, Dice(seed))
    n = sum(row)
    assert not (chosen & ~candidates).any()
    assert min(n, 1) <= chosen.sum() <= min(n, int(share * n) + 1)


def test_everything_is_chosen_at_a_rate_of_one() -> None:
    candidates = np.array([[True, False, True, True]])
    assert (choose(candidates, 1.0, Dice(0)) == candidates).all()


def test_choosing_leaves_the_candidates_untouched() -> None:
    candidates = np.ones((2, 5), dtype=bool)
    candidates.setflags(write=False)
    choose(candidates, 0.5, Dice(0, [0, 1]))


def test_what_is_drawn_at_some_places_is_what_stands_there_when_all_are_drawn() -> None:
    """However few are wanted, the draws after it are the same."""
    whole, some = Dice(7, np.arange(5), 2), Dice(7, np.arange(5), 2)
    places = np.array([0, 3, 8, 29, 34])  # of 5 rows of 7
    np.testing.assert_array_equal(some.random(7, places), whole.random(7).reshape(-1)[places])
    np.testing.assert_array_equal(some.integers(3, 90, 7, places), whole.integers(3, 90, 7).reshape(-1)[places])
    np.testing.assert_array_equal(some.random(2), whole.random(2))
