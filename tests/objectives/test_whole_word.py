"""Whole-word masking: a case worked by hand, and the rules of BERT's code."""

import numpy as np
import pytest
from scripted import SIX, Scripted

from lab.noise import Dice
from lab.objectives.whole_word import MOST, WholeWords, whole_word
from lab.settings import SettingsError
from lab.vocabulary import Vocabulary

SPELT = [b"", b"", b"", b"", b"", b"", b" the", b" pi", b"an", b"ist", b" plays", b"."]
WORDS = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: SPELT)


def test_a_sentence_by_hand() -> None:
    ids = np.array([[2, 6, 7, 8, 9, 10, 6, 7, 8, 11, 3]])  # [CLS] the pi·an·ist plays the pi·an . [SEP]
    dice = Scripted(
        [0.5],  # floor(0.5 * 9 + 0.5) = 5 tokens at most
        [0.0, 0.9, 0.1, 0.0, 0.0, 0.8, 0.4, 0.2, 0.0, 0.5, 0.0],  # pianist, then pian, then the second the, ...
        [0.0] * 11,
        [0.0, 0.0, 0.1, 0.85, 0.95, 0.0, 0.0, 0.7, 0.85, 0.0, 0.0],  # each piece is masked, random or kept by itself
        [0.0, 0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.0, 0.99, 0.0, 0.0],  # the fifth and the last of six ordinary tokens
    )
    exercise = whole_word(ids, WholeWords(share=0.5), WORDS, dice)
    assert exercise.shown.tolist() == [[2, 6, 4, 10, 9, 10, 6, 4, 11, 11, 3]]
    assert np.flatnonzero(exercise.asked[0]).tolist() == [2, 3, 4, 7, 8]
    assert exercise.answers[exercise.asked].tolist() == [7, 8, 9, 7, 8]
    assert exercise.table().all() and not dice.left


def test_a_word_longer_than_what_is_left_is_passed_over_and_a_later_one_is_taken() -> None:
    ids = np.array([[7, 8, 9, 6, 10]])  # pi·an·ist the plays
    dice = Scripted([0.0], [0.0, 0.0, 0.0, 0.2, 0.1], [0.0] * 5, [0.0] * 5, [0.0] * 5)  # two tokens at most
    assert whole_word(ids, WholeWords(share=0.4), WORDS, dice).asked.tolist() == [[False, False, False, True, True]]


def test_where_no_word_fits_one_is_asked_all_the_same() -> None:
    exercise = whole_word(np.array([[2, 7, 8, 9, 7, 8, 3]]), WholeWords(), WORDS, Dice(0))
    assert exercise.asked.tolist() in (
        [[False, True, True, True, False, False, False]],
        [[False] * 4 + [True] * 2 + [False]],
    )


CHINESE = Vocabulary(
    size=14,
    specials=SIX.specials,
    spelling=lambda: [b""] * 6 + [each.encode() for each in ("猫", "坐", "在", "火", "车", "站", "。", " the")],
)


def test_each_chinese_token_is_a_word_unless_a_list_says_that_some_are_one() -> None:
    ids, dice = np.tile(np.arange(6, 13), (300, 1)), Dice(1, np.arange(300))  # 猫 坐 在 火 车 站 。
    alone = whole_word(ids, WholeWords(share=1 / 7, words=""), CHINESE, dice).asked
    assert (alone.sum(axis=1) == 1).all() and (alone.sum(axis=0) > 20).all()
    asked = whole_word(ids, WholeWords(share=3 / 7, words="火车, 坐在"), CHINESE, Dice(2, np.arange(300))).asked
    assert (asked[:, 1] == asked[:, 2]).all() and (asked[:, 3] == asked[:, 4]).all()
    assert (asked[:, 5] != asked[:, 4]).any() and {*asked.sum(axis=1)} == {3}


def test_the_longest_word_of_the_list_counts() -> None:
    ids = np.tile(np.arange(6, 13), (200, 1))
    asked = whole_word(ids, WholeWords(share=3 / 7, words="火车、火车站、车站"), CHINESE, Dice(3, np.arange(200))).asked
    assert (asked[:, 3] == asked[:, 4]).all() and (asked[:, 4] == asked[:, 5]).all() and 20 < asked[:, 3].sum() < 180


def test_a_chinese_word_is_found_whatever_the_tokenizer_made_of_it() -> None:
    spelt = [b""] * 6 + ["我".encode(), "背".encode()[:2], "背".encode()[2:], "包".encode(), "了".encode(), b"x"]
    known = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: spelt)
    asked = whole_word(np.tile(np.arange(6, 11), (100, 1)), WholeWords(share=0.6), known, Dice(1, np.arange(100))).asked
    assert (asked[:, 1] == asked[:, 2]).all() and (asked[:, 2] == asked[:, 3]).all() and asked[:, 1].any()


def test_too_long_a_list_is_refused() -> None:
    with pytest.raises(SettingsError):
        WholeWords.load({"words": ",".join(map(str, range(MOST + 1)))})
