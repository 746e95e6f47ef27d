"""MLM as correction: a case worked by hand, the shares, whole words, and what must never happen."""

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scripted import LARGE, SIX, Scripted, Visiting, bound, chi_square

from lab.noise import Dice
from lab.objectives.macbert import LENGTHS, Correction, macbert
from lab.settings import SettingsError
from lab.vocabulary import Vocabulary

ROWS, TOKENS = 400, 300  # 120,000 tokens
SPELT = [b"", b"", b"", b"", b"", b"", b" the", b" cat", b" s", b"at", b".", b" car"]
WORDS = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: SPELT)


@pytest.fixture(scope="module")
def text() -> NDArray[np.int64]:
    ids = np.random.default_rng(0).integers(6, 1006, (ROWS, TOKENS))
    ids.setflags(write=False)
    return ids


def within(share: float, expected: float, n: int) -> bool:
    """Whether a share of n draws is within three standard errors of what is expected."""
    return abs(share - expected) <= 3 * sqrt(expected * (1 - expected) / n)


def test_a_sentence_by_hand() -> None:
    ids = np.array([[2, 6, 7, 8, 9, 10, 6, 11, 3]])  # [CLS] the cat s·at . the car [SEP]
    dice = Scripted(
        [0.5],  # floor(0.5 * 7 + 0.5) = 4 tokens at most
        [0.9, 0.6, 0.0, 0.7, 0.8, 0.9, 0.5, 0.1, 0.9],  # cat is visited first, then car, the second the ...
        [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.9, 0.0],  # a run of two from cat; four from car, where only one is left
        [0.0, 0.0, 0.5, 0.85, 0.99, 0.0, 0.0, 0.99, 0.0],  # cat is made similar, s·at random, car kept
        [0.0, 0.0, 0.0, 0.1, 0.9, 0.0, 0.0, 0.0, 0.0],  # the first and the last of six ordinary tokens
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],  # the nearest in the alphabet
    )
    exercise = macbert(ids, Correction(share=0.5), WORDS, dice)
    assert exercise.shown.tolist() == [[2, 6, 11, 6, 11, 10, 6, 11, 3]]  # [CLS] the car the·car . the car [SEP]
    assert np.flatnonzero(exercise.asked[0]).tolist() == [2, 3, 4, 7]
    assert exercise.answers[exercise.asked].tolist() == [7, 8, 9, 11]
    assert exercise.table().all() and not dice.left


def test_a_run_that_does_not_fit_loses_its_last_words_and_a_long_word_is_passed_over() -> None:
    ids = np.array([[8, 9, 9, 9, 6, 7]])  # s·at·at·at the cat
    keys = [0.1, 0.0, 0.0, 0.0, 0.2, 0.3]  # the long word is visited first
    dice = Scripted([0.0], keys, [0.99] * 6, [0.0] * 6, [0.0] * 6, [0.0] * 6)  # two tokens at most, runs of four
    assert macbert(ids, Correction(share=0.34), WORDS, dice).asked.tolist() == [[False] * 4 + [True] * 2]


def test_where_no_word_fits_one_is_asked_all_the_same() -> None:
    exercise = macbert(np.array([[2, 8, 9, 9, 9, 3]]), Correction(), WORDS, Dice(0))
    assert exercise.asked.tolist() == [[False, True, True, True, True, False]]


def test_the_shares_are_those_of_the_settings(text: NDArray[np.int64]) -> None:
    exercise = macbert(text, Correction(), LARGE, Dice(1, np.arange(ROWS)))
    n = int(exercise.asked.sum())
    assert n == 0.15 * text.size  # each token is a word: every share can be met
    kept = (exercise.shown == text)[exercise.asked].mean()
    near = (np.abs(exercise.shown - text) <= 4)[exercise.asked].mean() - kept
    assert within(kept, 0.1 + 0.1 / 1000, n)
    assert within(near, 0.8 + 0.1 * 8 / 1000, n)
    assert not (exercise.shown == LARGE.mask).any()


def test_runs_are_as_long_as_the_paper_says() -> None:
    rows = 4000  # of sixty words, four of which are asked: the run that begins at the eleventh always fits
    s = Correction(share=4 / 60)
    asked = macbert(np.full((rows, 60), 700), s, LARGE, Visiting(2, rows, (10, 30, 40, 50))).asked
    counts = np.bincount(asked[:, 10:14].sum(axis=1), minlength=5)
    assert counts[0] == 0 and chi_square(counts[1:], LENGTHS) < bound(3)


def test_a_word_is_asked_as_a_whole_and_treated_as_a_whole() -> None:
    longer = Vocabulary(size=13, specials=SIX.specials, spelling=lambda: [*SPELT, b"art"])  # which is spelt like at
    ids = np.random.default_rng(3).choice([6, 7, 8, 9, 11, 12], (200, 40))
    words = longer.words(ids)
    exercise = macbert(ids, Correction(similar=0.5, random=0.0), longer, Dice(4, np.arange(200)))
    same = words[:, 1:] == words[:, :-1]
    assert (exercise.asked[:, 1:] == exercise.asked[:, :-1])[same].all()
    kept, whole = exercise.shown == ids, same & exercise.asked[:, 1:]
    assert whole.sum() > 100 and (kept[:, 1:] == kept[:, :-1])[whole].all()


def test_words_begin_at_blanks_punctuation_and_chinese_tokens() -> None:
    spelt = ["", "", "", "", "", "", " don", "'", "t", "猫", "坐在", "。", "A1", "\n"]
    known = [each.encode() for each in spelt] + ["猫".encode()[:1], "猫".encode()[1:], b" "]
    vocabulary = Vocabulary(size=17, specials=SIX.specials, spelling=lambda: known)
    ids = np.array([[2, 6, 7, 8, 9, 10, 11, 12, 8, 13, 14, 15, 16, 12, 3]])
    #                  don|'|t|猫|坐在|。|A1t|\n|猫 in two bytes| |A1
    assert vocabulary.words(ids).tolist() == [[-1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 10, 11, 11, -1]]


def test_similar_tokens_stand_next_to_each_other_in_the_alphabet_and_are_of_one_kind() -> None:
    spelt = ["", "", "", "", "", "", " cat", "cat", " car", " dog", "car", "江", "池", "猫", "江湖", "7", "8", "."]
    known = [each.encode() for each in spelt]
    vocabulary = Vocabulary(size=18, specials=SIX.specials, spelling=lambda: known)
    near = {spelt[i]: [spelt[n] for n in row if n >= 0] for i, row in enumerate(vocabulary.alike.tolist())}
    assert near[" cat"] == [" car", " dog"] and near["cat"] == ["car"]
    assert near["池"] == ["江", "猫"] and near["江湖"] == [] and near["7"] == ["8"] and near["."] == []
    assert near[""] == []


def test_a_token_that_is_like_no_other_gives_way_to_a_random_one() -> None:
    ids = np.full((2000, 20), 10)  # full stops, of which there is one
    assert (WORDS.alike[10] < 0).all()
    exercise = macbert(ids, Correction(similar=1.0, random=0.0), WORDS, Dice(8, np.arange(2000)))
    counts = np.bincount(exercise.shown[exercise.asked], minlength=12)
    assert chi_square(counts[6:], np.full(6, 1 / 6)) < bound(5) and not counts[:6].any()


def test_what_is_not_asked_is_shown_as_it_is_and_the_text_is_left_untouched(text: NDArray[np.int64]) -> None:
    before = text.copy()
    exercise = macbert(text, Correction(), LARGE, Dice(5, np.arange(ROWS)))
    assert (exercise.shown == text)[~exercise.asked].all() and (text == before).all()
    assert (np.where(exercise.asked, exercise.answers, exercise.shown) == text).all()


def test_special_tokens_are_never_asked() -> None:
    ids = np.random.default_rng(1).integers(0, 12, (500, 40))
    exercise = macbert(ids, Correction(share=1.0), SIX, Dice(7, np.arange(500)))
    assert (exercise.asked == (ids >= 6)).all()
    assert not macbert(np.array([[2, 3, 0, 0]]), Correction(share=1.0), SIX, Dice(0)).asked.any()


def test_a_row_has_its_own_chance_and_each_epoch_another(text: NDArray[np.int64]) -> None:
    first, again, later = (macbert(text, Correction(), LARGE, Dice(10, np.arange(ROWS), epoch)) for epoch in (0, 0, 1))
    assert (first.shown == again.shown).all() and (first.asked == again.asked).all()
    assert (first.asked != later.asked).any(axis=1).all()
    alone = macbert(text[7:8], Correction(), LARGE, Dice(10, [7]))
    assert (alone.shown == first.shown[7:8]).all()


def test_shares_above_one_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"similar 0.8 and random 0.3 add up to more than 1"):
        Correction(similar=0.8, random=0.3)
