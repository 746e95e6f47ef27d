"""Sentence order prediction: cases worked by hand, the shares, and a run without an order."""

from math import sqrt

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Scripted

from lab.noise import Dice
from lab.objectives.sop import Sop, sop


def sentences(*lengths: int) -> list[np.ndarray]:
    """Sentences of these lengths, whose ids count up from 6; nobody may write to them."""
    edges = 6 + np.cumsum([0, *lengths])
    found = [np.arange(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]
    for each in found:
        each.setflags(write=False)
    return found


def elsewhere() -> list[np.ndarray]:
    return [np.array([1000, 1001]), np.array([1002, 1003, 1004])]


def never() -> list[np.ndarray]:
    raise AssertionError("no other document is needed here")


def test_six_words_in_order_by_hand() -> None:
    text = [np.array([6, 7]), np.array([8]), np.array([9, 6, 10])]  # the cat | sat | on the mat
    pair = sop(text, never, 9, Sop(), Scripted(ones=[0.2, 0.7]))  # cut behind the first; leave the order
    assert (pair.first.tolist(), pair.second.tolist(), pair.answer) == ([6, 7], [8, 9, 6, 10], 0)


def test_six_words_swapped_by_hand() -> None:
    text = [np.array([6, 7]), np.array([8]), np.array([9, 6, 10])]
    dice = Scripted([0.6], ones=[0.5, 0.4])  # cut behind the second; swap; the tie costs the second an id at its back
    pair = sop(text, never, 5, Sop(), dice)
    assert (pair.first.tolist(), pair.second.tolist(), pair.answer) == ([9, 6, 10], [6, 7], 1)
    assert not dice.left


def test_half_are_swapped_and_both_parts_give_the_text_back() -> None:
    text = sentences(3, 4, 5)
    whole = np.concatenate(text).tolist()
    answers = []
    for row in range(10_000):
        pair = sop(text, never, 12, Sop(), Dice(0, row))
        parts = [pair.second, pair.first] if pair.answer else [pair.first, pair.second]
        assert np.concatenate(parts).tolist() == whole
        answers.append(pair.answer)
    assert abs(np.mean(answers) - 0.5) < 3 * sqrt(0.25 / 10_000)


def test_a_single_sentence_is_paired_from_elsewhere_and_counts_as_swapped() -> None:
    for row in range(50):
        pair = sop(sentences(4), elsewhere, 40, Sop(swapped=0), Dice(1, row))
        assert pair.answer == 1
        assert pair.first.tolist() == [6, 7, 8, 9]
        assert (pair.second >= 1000).all()


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(2, 40), st.integers(0, 2**31))
def test_a_pair_fits_and_neither_part_is_empty(lengths: list[int], length: int, row: int) -> None:
    pair = sop(sentences(*lengths), elsewhere, length, Sop(), Dice(2, row))
    assert len(pair.first) and len(pair.second)
    assert len(pair.first) + len(pair.second) <= length
