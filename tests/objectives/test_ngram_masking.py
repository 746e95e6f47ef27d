"""N-gram masking: a case worked by hand, and the rules of ALBERT's code."""

import numpy as np
import pytest
from scripted import SIX, Scripted, Visiting

from lab.noise import Dice
from lab.objectives.ngram import Ngrams, ngram
from lab.vocabulary import Vocabulary

SPELT = [b"", b"", b"", b"", b"", b"", b" the", b" cat", b" s", b"at", b".", b" on"]
WORDS = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: SPELT)


def scripted(most: float, keys: list[float], luck: list[float]) -> Scripted:
    """Dice that mask everything they ask for."""
    return Scripted([most], keys, luck, [0.0] * len(keys), [0.0] * len(keys))


def test_a_sentence_by_hand() -> None:
    ids = np.array([[2, 6, 7, 8, 9, 11, 6, 7, 10, 3]])  # [CLS] the cat s·at on the cat . [SEP]
    dice = Scripted(
        [0.0],  # floor(0.625 * 8) = 5 tokens at most
        [0.0, 0.5, 0.1, 0.3, 0.0, 0.2, 0.6, 0.4, 0.7, 0.0],  # cat; then on, s·at, the second cat
        [0.0, 0.0, 0.6, 0.0, 0.0, 0.9, 0.0, 0.7, 0.0, 0.0],  # two words: cat s·at; three: on the cat; one; two
        [0.0, 0.0, 0.1, 0.85, 0.95, 0.0, 0.1, 0.0, 0.0, 0.0],  # each token is masked, random or kept by itself
        [0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],  # the last of six ordinary tokens
    )
    exercise = ngram(ids, Ngrams(share=0.625), WORDS, dice)
    # cat s·at are three; of "on the cat" two still fit
    assert exercise.shown.tolist() == [[2, 6, 4, 11, 9, 4, 4, 7, 10, 3]]
    assert np.flatnonzero(exercise.asked[0]).tolist() == [2, 3, 4, 5, 6]
    assert exercise.answers[exercise.asked].tolist() == [7, 8, 9, 11, 6]
    assert not dice.left


def test_a_run_that_would_overlap_another_is_left_out_as_a_whole() -> None:
    ids = np.array([[6, 7, 11, 6, 7, 10]])
    keys, luck = [0.2, 0.1, 0.3, 0.5, 0.6, 0.7], [0.9, 0.0, 0.6, 0.0, 0.0, 0.0]
    # cat alone; then "the cat on" meets it and goes; then "on the"; three tokens at most
    asked = ngram(ids, Ngrams(share=0.5), WORDS, scripted(0.0, keys, luck)).asked
    assert asked.tolist() == [[False, True, True, True, False, False]]


@pytest.mark.parametrize(("luck", "asked"), [(0.66, [True, True, False]), (0.67, [False, True, True])])
def test_where_the_text_ends_the_chances_of_shorter_runs_grow_in_proportion(luck: float, asked: list[bool]) -> None:
    dice = scripted(0.0, [0.1, 0.0, 0.2], [0.0, luck, 0.0])  # the second of three words, then the first: two in all
    assert ngram(np.array([[6, 7, 10]]), Ngrams(share=0.67), WORDS, dice).asked.tolist() == [asked]


def test_runs_of_one_two_and_three_words_are_as_frequent_as_one_over_n() -> None:
    assert Ngrams().lengths == pytest.approx([0.5455, 0.2727, 0.1818], abs=1e-4)
    assert np.dot(Ngrams().lengths, [1, 2, 3]) == pytest.approx(1.636, abs=1e-3)
    rows = 5000  # of sixty words, three of which are asked: the run that begins at the eleventh always fits
    asked = ngram(np.full((rows, 60), 7), Ngrams(share=0.05), WORDS, Visiting(1, rows, (10, 30, 40, 50))).asked
    counts = np.bincount(asked[:, 10:13].cumprod(axis=1).sum(axis=1), minlength=4)
    expected = np.array(Ngrams().lengths) * rows
    assert counts[0] == 0 and ((counts[1:] - expected) ** 2 / expected).sum() < 13.8  # 2 degrees, one in a thousand


def test_a_run_loses_words_until_it_fits_and_where_none_does_the_first_is_taken() -> None:
    ids = np.array([[6, 7, 8, 9]])
    asked = ngram(ids, Ngrams(share=0.5), WORDS, scripted(0.0, [0.0, 0.5, 0.6, 0.0], [0.99] * 4)).asked
    assert asked.tolist() == [[True, True, False, False]]  # of three words, two fit
    alone = ngram(np.array([[2, 8, 9, 9, 3]]), Ngrams(), WORDS, Dice(0)).asked
    assert alone.tolist() == [[False, True, True, True, False]]


def test_longest_one_is_whole_word_masking() -> None:
    assert Ngrams(longest=1).lengths == (1.0,)
