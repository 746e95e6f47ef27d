"""Measures of generated texts, worked by hand."""

import math

import pytest

from lab.analysis.text_diversity import Diversity, perplexity, self_bleu, zipf


def test_repetition_and_diversity_by_hand() -> None:
    """1 2 3 4 1 2 3 4 1 has 6 4-grams, of which 1234 and 2341 come twice; 8 bigrams, of which 4 differ."""
    loop, straight = [1, 2, 3, 4, 1, 2, 3, 4, 1], [5, 6, 7, 8, 9]
    found = Diversity.of([loop, straight])
    assert found.repeated == pytest.approx((2 / 6 + 0) / 2)
    assert found.distinct == pytest.approx((4 + 4) / (8 + 4))


def test_self_bleu_is_100_of_equal_texts_and_0_of_texts_that_share_nothing() -> None:
    assert self_bleu([[1, 2, 3, 4, 5]] * 3) == pytest.approx(100)
    assert self_bleu([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]) == 0
    assert self_bleu([[1, 2, 3, 4, 5]]) is None
    assert self_bleu([[1, 2, 3]] * 3) is None  # without a 4-gram there is no BLEU
    assert self_bleu([[1, 2, 3, 4, 5], [1], [1, 2, 3, 4, 5], []]) == pytest.approx(100)
    # Of 1 2 3 4 9 against 1 2 3 4 5: 4 of 5, 3 of 4, 2 of 3 and 1 of 2 n-grams are there.
    by_hand = 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert self_bleu([[1, 2, 3, 4, 9], [1, 2, 3, 4, 5]]) == pytest.approx(by_hand)


def test_the_exponent_of_zipf_is_found_again() -> None:
    for exponent in (0.5, 1.0, 1.5):
        text = [token for token in range(1, 60) for _ in range(round(1e6 * token**-exponent))]
        assert zipf([text]) == pytest.approx(exponent, abs=1e-3)
    assert zipf([[1, 1, 2]]) is None


def test_perplexity_is_the_exponential_of_the_mean_surprise() -> None:
    assert perplexity([math.log(0.5), math.log(0.125)]) == pytest.approx(4)
    assert perplexity([]) is None


def test_texts_too_short_to_tell_say_nothing() -> None:
    assert Diversity.of([]) == Diversity(None, None, None, None)
    assert Diversity.of([[1], [2]]).repeated is None
