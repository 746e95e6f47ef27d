"""Permutation language modelling: cases worked by hand, the choice of what is asked, and what must never be seen."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scripted import LARGE, SIX, Scripted, bound, chi_square

from lab.batch import Exercise
from lab.noise import Dice
from lab.objectives.permutation import Permutation, ordered, permutation, reading, spans
from lab.vocabulary import Vocabulary

ROWS, TOKENS = 400, 128


@pytest.fixture(scope="module")
def text() -> NDArray[np.int64]:
    ids = np.random.default_rng(0).integers(6, 1006, (ROWS, TOKENS))
    ids[:, -2:] = LARGE.separate, LARGE.begin
    ids.setflags(write=False)
    return ids


def answering(exercise: Exercise) -> NDArray[np.bool_]:
    """Whom the stream that answers may look at: as the token itself, but for the token: (B, T, T)."""
    return exercise.table() & ~(exercise.asked[:, :, None] & np.eye(exercise.shown.shape[1], dtype=bool))


def test_twelve_words_by_hand() -> None:
    ids = np.array([[6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11, 3, 2]])
    dice = Scripted(
        [0.5, 0.25, 0.0, 0.9],  # a span of 2, 3 of its 12 tokens of context before it; the next would begin too late
        [0.5, 0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.5, 0.0, 0.0],  # one more: the ninth word
        [0.5, 0.6, 0.7, 0.9, 0.2, 0.8, 0.81, 0.82, 0.1, 0.83, 0.84, 0.85, 0.95, 0.0],
    )
    exercise = permutation(ids, Permutation(every=4), SIX, dice)
    assert np.flatnonzero(exercise.asked[0]).tolist() == [3, 4, 8] and dice.left == 0
    assert exercise.answers[exercise.asked].tolist() == [9, 10, 8] and (exercise.shown == ids).all()
    assert exercise.order is not None and exercise.segments is not None
    assert exercise.order[0].tolist() == [-1, -1, -1, 12, 2, -1, -1, -1, 1, -1, -1, -1, 13, 0]
    assert exercise.segments[0].tolist() == [0] * 13 + [1]
    sees = answering(exercise)[0]
    hidden = {3, 4, 8, 12, 13}
    for t, seen in {8: {13}, 4: {13, 8}, 3: {13, 8, 4}, 12: {13, 8, 4, 3, 12}, 13: {13}, 0: set(), 11: set()}.items():
        assert set(np.flatnonzero(sees[t])) == set(range(14)) - hidden | seen, t


def test_four_tokens_by_hand() -> None:
    """Targets 1 and 3 with the turns 0 and 1: the context sees no target, and the second target sees the first."""
    asked = np.array([[False, True, False, True]])
    exercise = ordered(np.array([[6, 7, 8, 9]]), asked, asked, np.array([[2, 0, 3, 1]]), SIX)
    may_not = (~answering(exercise)[0]).astype(int).tolist()
    assert may_not == [[0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1]]


def test_a_gap_is_seen_by_nobody_and_predicted_from_all_else() -> None:
    ids = np.array([[6, 4, 8, 4, 3, 2]])
    exercise = reading(ids, Permutation(), SIX)
    assert np.flatnonzero(exercise.asked[0]).tolist() == [1, 3]
    assert answering(exercise)[0].tolist() == [[True, False, True, False, True, True]] * 6


def test_one_token_in_six_is_asked_and_always_as_many(text: NDArray[np.int64]) -> None:
    asked = permutation(text, Permutation(), LARGE, Dice(1, np.arange(ROWS))).asked
    assert set(asked.sum(1).tolist()) == {126 // 6}


@pytest.mark.parametrize("every", [1, 2, 9])
def test_other_shares_are_kept_as_well(text: NDArray[np.int64], every: int) -> None:
    asked = permutation(text, Permutation(every=every), LARGE, Dice(1, np.arange(ROWS))).asked
    assert set(asked.sum(1).tolist()) == {126 // every}


def test_the_first_span_is_as_long_as_it_should_be_as_often(text: NDArray[np.int64]) -> None:
    """1/n, made to sum to one, for n from 1 to 5: with a goal of 42, nothing is cut short and little is topped up."""
    asked = permutation(text, Permutation(every=3), LARGE, Dice(2, np.arange(ROWS))).asked
    first = asked.argmax(1)
    lengths = np.array([np.argmin(row[at:]) for row, at in zip(asked, first, strict=True)])
    singles = (lengths == 1).mean()
    likely = 1 / (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5)
    assert singles > likely - 4 * sqrt(likely * (1 - likely) / ROWS)  # topping up adds only single tokens
    alone = permutation(text, Permutation(every=64), LARGE, Dice(2, np.arange(ROWS))).asked  # one token in each row
    assert (alone.sum(1) == 1).all()


def test_spans_are_of_one_to_five_tokens_each_one_nth_as_likely() -> None:
    """Of a row the first is drawn before anything is missing, and at least one token of context parts it from the
    next."""
    rows = 20_000
    words, goal = np.ones((rows, 64), dtype=bool), np.full(rows, 9)
    asked = spans(words, words, goal, Permutation(), Dice(10, np.arange(rows)))
    first = asked.argmax(1)
    lengths = (~asked & (np.arange(64) >= first[:, None])).argmax(1) - first
    assert asked.any(1).all() and set(asked.sum(1)) <= {*range(1, 10)}
    assert chi_square(np.bincount(lengths, minlength=6)[1:6], 1 / np.arange(1, 6) * 60 / 137) < bound(4)
    assert chi_square(np.bincount(first[lengths == 1], minlength=6), np.full(6, 1 / 6)) < bound(5)  # of its context


def test_a_span_begins_at_the_start_of_a_word() -> None:
    """Every third token opens a word; where the goal is large enough, all spans are found before anything is filled."""
    starts = np.arange(1006) % 3 == 0
    words = Vocabulary(
        size=1006, specials=SIX.specials, spelling=lambda: [b" a" if start else b"a" for start in starts]
    )
    ids = np.tile(6 + np.arange(510) % 999, (100, 1))
    asked = permutation(ids, Permutation(every=40), words, Dice(4, np.arange(100))).asked
    begins = asked & ~np.concatenate([np.zeros((100, 1), dtype=bool), asked[:, :-1]], axis=1)
    assert starts[ids[begins]].mean() > 0.98  # the rest touches what was there before
    anywhere = permutation(ids, Permutation(every=40), LARGE, Dice(4, np.arange(100))).asked
    begins = anywhere & ~np.concatenate([np.zeros((100, 1), dtype=bool), anywhere[:, :-1]], axis=1)
    assert starts[ids[begins]].mean() < 0.5


def test_every_place_but_the_edges_is_asked_alike(text: NDArray[np.int64]) -> None:
    share = permutation(text, Permutation(), LARGE, Dice(5, np.arange(ROWS))).asked[:, 8:-8].mean(0)
    assert share.min() > 0.08 and share.max() < 0.30 and abs(share.mean() - 1 / 6) < 0.02


def test_all_orders_of_four_are_as_likely() -> None:
    rows = 60_000
    exercise = permutation(np.tile([6, 7, 8, 9], (rows, 1)), Permutation(every=1), SIX, Dice(6, np.arange(rows)))
    assert exercise.order is not None
    _, counts = np.unique(exercise.order, axis=0, return_counts=True)
    assert len(counts) == 24 and chi_square(counts, np.full(24, 1 / 24)) < bound(23)


def test_a_row_read_backwards_is_turned_round_before_what_closes_it_and_spans_lie_as_they_are_written() -> None:
    ids = np.array([[6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11, 3, 2]])
    dice = Scripted(
        [0.4],  # under a half: backwards
        [0.5, 0.25, 0.0, 0.9],  # as forwards: the fourth and the fifth word
        [0.5, 0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.5, 0.0, 0.0],  # and the ninth
        [0.5, 0.6, 0.7, 0.9, 0.2, 0.8, 0.81, 0.82, 0.1, 0.83, 0.84, 0.85, 0.95, 0.0],
    )
    exercise = permutation(ids, Permutation(every=4, backwards=0.5), SIX, dice)
    assert exercise.backwards is not None and exercise.backwards.tolist() == [True] and not dice.left
    assert exercise.shown.tolist() == [[11, 10, 9, 8, 7, 6, 11, 10, 9, 8, 7, 6, 3, 2]]
    assert np.flatnonzero(exercise.asked[0]).tolist() == [3, 7, 8]
    assert exercise.answers[exercise.asked].tolist() == [8, 10, 9]
    dice = Scripted([0.5], [0.5] * 4, [0.5] * 14, [0.5] * 14)
    forwards = permutation(ids, Permutation(every=4, backwards=0.5), SIX, dice)
    assert forwards.backwards is not None and forwards.shown.tolist() == ids.tolist()


def test_half_of_the_rows_are_read_backwards() -> None:
    rows = 20_000
    exercise = permutation(
        np.tile([6, 7, 8, 3, 2], (rows, 1)), Permutation(backwards=0.5), SIX, Dice(8, np.arange(rows))
    )
    assert exercise.backwards is not None and abs(exercise.backwards.mean() - 0.5) < 3 * sqrt(0.25 / rows)
    assert (exercise.shown == np.where(exercise.backwards[:, None], [8, 7, 6, 3, 2], [6, 7, 8, 3, 2])).all()


@pytest.mark.parametrize("halves", [False, True])
def test_read_backwards_a_span_still_begins_where_a_word_is_written_to_begin(halves: bool) -> None:
    starts = np.arange(1006) % 3 == 0
    words = Vocabulary(
        size=1006, specials=SIX.specials, spelling=lambda: [b" a" if start else b"a" for start in starts]
    )
    ids = np.concatenate([np.tile(6 + np.arange(254) % 999, (300, 1)), np.tile([3, 2], (300, 1))], axis=1)
    s = Permutation(every=40, backwards=1.0, halves=halves)
    exercise = permutation(ids, s, words, Dice(8, np.arange(300)))
    asked, n = exercise.asked, len(ids)
    begins = asked & ~np.concatenate([asked[:, 1:], np.zeros((n, 1), dtype=bool)], axis=1)
    assert begins.sum() > 600 and starts[exercise.shown[begins]].mean() > 0.97


def test_of_two_halves_the_first_knows_nothing_of_the_second_which_sees_all_of_it() -> None:
    ids = np.random.default_rng(1).integers(6, 1006, (200, 40))
    exercise = permutation(ids, Permutation(halves=True), LARGE, Dice(9, np.arange(200)))
    sees, order = exercise.table(), exercise.order
    assert order is not None and not sees[:, :20, 20:].any() and sees[:, 20:, :20].all()
    assert (exercise.asked[:, :20].sum(1) == 3).all() and (exercise.asked[:, 20:].sum(1) == 3).all()
    for half in (slice(20), slice(20, 40)):
        own, turn, asked = sees[:, half, half], order[:, half], exercise.asked[:, half]
        earlier = turn[:, None] < np.where(asked, turn, turn + 1)[:, :, None]
        assert (own == (earlier | np.eye(20, dtype=bool))).all()
    assert (np.where(exercise.asked[:, 20:], order[:, 20:], 99).min(1) > order[:, :20].max(1)).all()


def test_a_context_of_another_size_spreads_the_spans_out() -> None:
    ids = np.random.default_rng(3).integers(6, 1006, (100, 512))
    gaps = []
    for around in (2, 12):
        asked = permutation(ids, Permutation(every=64, around=around), LARGE, Dice(3, np.arange(100))).asked
        gaps.append([int(row.nonzero()[0][-1]) for row in asked])  # eight are asked: how far the text has been walked
    assert np.mean(gaps[1]) > 3 * np.mean(gaps[0])


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_what_answers_never_sees_itself_and_the_context_never_sees_what_is_asked(n: int, every: int, seed: int) -> None:
    ids = np.random.default_rng(seed).integers(0, 12, (4, n))
    exercise = permutation(ids, Permutation(every=every), SIX, Dice(seed, np.arange(4)))
    assert exercise.order is not None
    special = SIX.is_special(ids)
    assert not (exercise.asked & special).any()
    ordinary = (~special).sum(1)
    assert (exercise.asked.sum(1) == np.maximum(ordinary // every, np.minimum(ordinary, 1))).all()
    functional = np.isin(ids, [SIX.separate, SIX.begin])
    assert ((exercise.order < 0) == ~(exercise.asked | functional)).all()
    sees, order = answering(exercise), exercise.order
    diagonal = np.eye(n, dtype=bool)
    assert not (sees & diagonal & exercise.asked[:, :, None]).any()
    first = (order < 0)[:, None]  # seen by everybody
    earlier = (order[:, None] < order[:, :, None]) & ~first
    assert (sees == (first | earlier | (diagonal & ~exercise.asked[:, :, None]))).all()


def test_the_same_key_asks_the_same_and_another_epoch_differently(text: NDArray[np.int64]) -> None:
    one, same, other = (permutation(text, Permutation(), LARGE, Dice(7, np.arange(ROWS), epoch)) for epoch in (0, 0, 1))
    assert (one.asked == same.asked).all() and (one.table() == same.table()).all()
    assert (one.asked != other.asked).any(1).all()
