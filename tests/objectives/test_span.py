"""Span masking: a case worked by hand, and the rules and shares of SpanBERT's paper and code."""

import numpy as np
import pytest
from scripted import LARGE, SIX, Scripted, Visiting

from lab.noise import Dice
from lab.objectives.span import Spans, share_of, span
from lab.vocabulary import Vocabulary

SPELT = [b"", b"", b"", b"", b"", b"", b" the", b" cat", b" s", b"at", b".", b" on"]
WORDS = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: SPELT)


def test_a_sentence_by_hand() -> None:
    ids = np.array([[2, 6, 7, 8, 9, 11, 6, 7, 10, 3]])  # [CLS] the cat s·at on the cat . [SEP]
    dice = Scripted(
        [0.0, 0.9, 0.8, 0.7, 0.1, 0.6, 0.5, 0.2, 0.3, 0.0],  # at, then the second cat
        [0.0, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0],  # two words from s·at, to whose start it goes; then one
        [0.0, 0.0, 0.0, 0.85, 0.0, 0.0, 0.0, 0.95, 0.0, 0.0],  # the first span is made random, the second kept
        [0.0, 0.0, 0.0, 0.0, 0.2, 0.9, 0.0, 0.0, 0.0, 0.0],  # the first, the second and the last of six tokens
    )
    exercise = span(ids, Spans(share=0.5), WORDS, dice)
    assert exercise.shown.tolist() == [[2, 6, 7, 6, 7, 11, 6, 7, 10, 3]]
    assert np.flatnonzero(exercise.asked[0]).tolist() == [3, 4, 5, 7]
    assert exercise.answers[exercise.asked].tolist() == [8, 9, 11, 7]
    assert exercise.table().all() and not dice.left


def test_spans_follow_a_geometric_law_that_is_cut_off_at_ten() -> None:
    published = [0.2241, 0.1792, 0.1434, 0.1147, 0.0918, 0.0734, 0.0587, 0.0470, 0.0376, 0.0301]
    assert Spans().lengths == pytest.approx(published, abs=1e-4)
    assert Spans().lengths @ np.arange(1, 11) == pytest.approx(3.797, abs=1e-3)


def test_drawn_spans_are_as_long_as_they_should_be() -> None:
    rows = 10_000  # of a hundred words, ten of which are asked: the span that begins at the eleventh always fits
    asked = span(np.full((rows, 100), 7), Spans(share=0.1), WORDS, Visiting(1, rows, (10, 30, 50, 70, 90))).asked
    counts = np.bincount(asked[:, 10:20].cumprod(axis=1).sum(axis=1), minlength=11)
    expected = Spans().lengths * rows
    assert counts[0] == 0 and ((counts[1:] - expected) ** 2 / expected).sum() < 27.9  # 9 degrees, one in a thousand


@pytest.mark.parametrize(("n", "asked"), [(1, 1), (10, 2), (100, 15), (20, 3), (512, 77)])
def test_the_share_is_rounded_up_and_met_exactly(n: int, asked: int) -> None:
    assert share_of(n, Spans()) == asked
    found = span(np.full((50, n), 9), Spans(), LARGE, Dice(4, np.arange(50))).asked
    assert set(found.sum(axis=1)) == {asked}


def test_the_last_span_is_cut_even_inside_a_word() -> None:
    ids = np.array([[8, 9, 9, 9, 6, 7]])  # s·at·at·at the cat: three tokens are asked, of a word of four
    dice = Scripted([0.9, 0.0, 0.9, 0.9, 0.9, 0.9], [0.0] * 6, [0.0] * 6, [0.0] * 6)
    assert span(ids, Spans(share=0.5), WORDS, dice).asked.tolist() == [[True] * 3 + [False] * 3]


def test_a_span_ends_before_a_special_token_and_another_one_makes_up_what_is_missing() -> None:
    ids = np.tile(np.array([2, 7, 7, 3, 7, 7, 3]), (500, 1))  # [CLS] cat cat [SEP] cat cat [SEP]
    asked = span(ids, Spans(share=0.5), WORDS, Visiting(7, 500, (2, 1))).asked
    assert (asked == [False, True, True, False, False, False, False]).all()


def test_spans_that_touch_are_masked_random_or_kept_as_one() -> None:
    ids = np.random.default_rng(1).integers(6, 1006, (400, 300))
    exercise = span(ids, Spans(random=0.0), LARGE, Dice(5, np.arange(400)))
    touching = exercise.asked[:, 1:] & exercise.asked[:, :-1]
    masked = exercise.shown == LARGE.mask
    assert touching.sum() > 10_000 and (masked[:, 1:] == masked[:, :-1])[touching].all()


def test_a_token_begins_a_span_as_often_as_any_other_so_that_long_words_do_more_often() -> None:
    ids = np.tile(np.array([[6, 8, 9, 9, 7]]), (30_000, 1))  # the s·at·at cat, one token asked: of the word, its first
    asked = span(ids, Spans(share=0.2, longest=1), WORDS, Dice(6, np.arange(30_000))).asked.sum(axis=0)
    expected = np.array([0.2, 0.6, 0.0, 0.0, 0.2]) * 30_000
    assert (((asked - expected) ** 2)[[0, 1, 4]] / expected[[0, 1, 4]]).sum() < 13.8 and not asked[2:4].any()
