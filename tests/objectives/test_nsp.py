"""Next sentence prediction: cases worked by hand, the shares, and the truncation of BERT's code."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Scripted

from lab.noise import Dice
from lab.objectives.nsp import Nsp, nsp
from lab.objectives.parts.sentence_pairs import borrow, shorten

DRAWS = 10_000


def sentences(*lengths: int, start: int = 6) -> list[np.ndarray]:
    """Sentences of these lengths, whose ids count up from ``start``; nobody may write to them."""
    edges = start + np.cumsum([0, *lengths])
    found = [np.arange(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    for each in found:
        each.setflags(write=False)
    return found


def elsewhere() -> list[np.ndarray]:
    return sentences(3, 4, 5, 6, start=1000)


def never() -> list[np.ndarray]:
    raise AssertionError("no other document is needed here")


def test_six_words_by_hand() -> None:
    text = [np.array([6, 7]), np.array([8]), np.array([9, 6, 10])]  # the cat | sat | on the mat
    dice = Scripted([0.3], ones=[0.5, 0.7])  # cut behind the second; keep what follows; one id goes, at the front
    pair = nsp(text, never, 5, Nsp(), dice)
    assert (pair.first.tolist(), pair.second.tolist(), pair.answer) == ([6, 7, 8], [6, 10], 0)
    assert not dice.left


def test_six_words_with_a_random_second_part_by_hand() -> None:
    text = [np.array([6, 7]), np.array([8]), np.array([9, 6, 10])]
    other = [np.array([11]), np.array([10, 7, 11]), np.array([8])]
    dice = Scripted([0.9], ones=[0.0, 0.2, 0.4])  # cut behind the first; random; from the second sentence on
    pair = nsp(text, lambda: other, 4, Nsp(), dice)
    assert (pair.first.tolist(), pair.second.tolist(), pair.answer) == ([6, 7], [10, 7], 1)
    assert not dice.left


def test_half_of_the_second_parts_are_random() -> None:
    text = sentences(3, 4, 5)
    answers = [nsp(text, elsewhere, 40, Nsp(), Dice(0, row)).answer for row in range(DRAWS)]
    assert abs(np.mean(answers) - 0.5) < 3 * sqrt(0.25 / DRAWS)


def test_the_answer_tells_where_the_second_part_is_from() -> None:
    text = sentences(3, 4, 5)
    whole = np.concatenate(text).tolist()
    for row in range(200):
        pair = nsp(text, elsewhere, 40, Nsp(), Dice(1, row))
        if pair.answer == 0:
            assert [*pair.first, *pair.second] == whole
        else:
            assert pair.first.tolist() == whole[: len(pair.first)]
            assert (pair.second >= 1000).all()


def test_every_cut_is_as_likely() -> None:
    cuts = [len(nsp(sentences(1, 1, 1, 1), never, 9, Nsp(random=0), Dice(2, row)).first) for row in range(DRAWS)]
    assert set(cuts) == {1, 2, 3}
    assert np.bincount(cuts)[1:] == pytest.approx(DRAWS / 3, abs=3 * sqrt(DRAWS * 2 / 9))


def test_a_single_sentence_always_gets_a_random_second_part() -> None:
    for row in range(50):
        pair = nsp(sentences(4), elsewhere, 40, Nsp(random=0), Dice(3, row))
        assert pair.answer == 1
        assert pair.first.tolist() == [6, 7, 8, 9]
        assert (pair.second >= 1000).all()


def test_no_more_is_borrowed_than_is_wanted() -> None:
    assert borrow(elsewhere(), 5, Scripted(ones=[0.0])).tolist() == list(range(1000, 1007))  # 3 are not enough
    assert borrow(elsewhere(), 3, Scripted(ones=[0.0])).tolist() == list(range(1000, 1003))
    assert borrow(elsewhere(), 99, Scripted(ones=[0.9])).tolist() == list(range(1012, 1018))  # there are no more
    assert borrow(elsewhere(), 0, Scripted(ones=[0.0])).tolist() == list(range(1000, 1003))  # never nothing


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(2, 40), st.integers(0, 2**31))
def test_a_pair_fits_and_neither_part_is_empty(lengths: list[int], length: int, row: int) -> None:
    pair = nsp(sentences(*lengths), elsewhere, length, Nsp(), Dice(4, row))
    assert len(pair.first) and len(pair.second)
    assert len(pair.first) + len(pair.second) <= length
    assert (np.diff(pair.first) == 1).all() and (np.diff(pair.second) == 1).all()  # cut at the ends only


def one_by_one(first: int, second: int, length: int) -> tuple[int, int]:
    """What is left when the longer part (on a tie the second) loses one token after another."""
    while first + second > length:
        first, second = (first - 1, second) if first > second else (first, second - 1)
    return first, second


@pytest.mark.parametrize(("first", "second", "length", "left"), [(10, 4, 8, (4, 4)), (5, 5, 9, (5, 4))])
def test_the_longer_part_is_shortened(first: int, second: int, length: int, left: tuple[int, int]) -> None:
    pair = shorten(np.arange(first), np.arange(second), length, Dice(0))
    assert tuple(len(part) for part in pair) == left


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.integers(2, 80))
def test_shortening_at_once_is_shortening_one_by_one(first: int, second: int, length: int) -> None:
    pair = shorten(np.arange(first), np.arange(second), length, Dice(0))
    assert tuple(len(part) for part in pair) == one_by_one(first, second, length)


def test_front_and_back_lose_alike() -> None:
    fronts = [int(shorten(np.arange(104), np.arange(4), 8, Dice(5, row))[0][0]) for row in range(DRAWS // 4)]  # of 100
    assert abs(np.mean(fronts) - 50) < 3 * 5 / sqrt(DRAWS // 4)
    assert np.std(fronts) == pytest.approx(5, rel=0.05)
