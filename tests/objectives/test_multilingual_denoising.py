"""mBART's denoising: the noise is BART's, and a token tells the language to both sides."""

import numpy as np
import pytest
from scripted import Scripted

from lab.noise import Dice
from lab.objectives.denoising import Denoising
from lab.objectives.multilingual_denoising import (
    LANGUAGES,
    MultilingualDenoising,
    language,
    multilingual_denoising,
    opening,
    read,
)
from lab.settings import SettingsError
from lab.vocabulary import SPECIALS, Vocabulary

# Ids 6 to 8 are English words, 9 to 11 Chinese ones, 12 and 13 the rest of a character, 14 and 15 full stops.
SPELT = [
    *[b""] * 6,
    *(b" a", b"b", b" c"),
    *("猫".encode(), "坐在".encode(), "狗".encode()[:2]),
    *("狗".encode()[2:], b"\xad", b".", "。".encode()),
    *[b""] * 2,
]
NAMES = {name: n for n, name in enumerate(SPECIALS)} | {name: 16 + n for n, name in enumerate(LANGUAGES)}
WORDS = Vocabulary(size=18, specials=NAMES, spelling=lambda: SPELT)
MASK, END, PAD = WORDS.mask, WORDS.separate, WORDS.pad
ENGLISH, CHINESE = 16, 17


def test_the_language_of_a_text_is_that_of_most_of_its_words() -> None:
    assert language(np.array([6, 7, 8, 14]), WORDS) == language(np.array([14]), WORDS) == ENGLISH
    assert language(np.array([9, 11, 12, 6, 15]), WORDS) == CHINESE
    assert language(np.array([9, MASK, 6, 7]), WORDS) == ENGLISH
    assert WORDS.script(np.arange(18)).tolist() == [0] * 6 + [-1] * 3 + [1] * 3 + [0, 0, 0, 1, 0, 0]


def test_both_sides_end_in_the_language_and_the_decoder_starts_from_it() -> None:
    ids = np.array([[6, 7, 14, 8, 14], [9, 10, 15, 9, 15]])
    still = MultilingualDenoising(noise="none", permute=False)
    exercise = multilingual_denoising(ids, still, WORDS, Dice(0, np.arange(2)))
    assert exercise.source is not None and exercise.asked.all() and exercise.following
    assert exercise.source.tolist() == exercise.answers.tolist()
    assert exercise.answers.tolist() == [[6, 7, 14, 8, 14, END, ENGLISH], [9, 10, 15, 9, 15, END, CHINESE]]
    assert exercise.shown.tolist() == [[ENGLISH, 6, 7, 14, 8, 14, END], [CHINESE, 9, 10, 15, 9, 15, END]]


def test_six_words_by_hand() -> None:
    ids = np.array([[6, 7, 14, 8, 6, 14]])  # two sentences: the second comes first, then the first and the fourth go
    dice = Scripted([0.9, 0.1, 0.5, 0.5, 0.5, 0.5], [0.5] * 12, [0.1, 0.9, 0.9, 0.05, 0.9, 0.9], [0.5] * 12, [0.5])
    exercise = multilingual_denoising(ids, MultilingualDenoising(noise="masking", share=0.3), WORDS, dice)
    assert exercise.source is not None and exercise.source.tolist() == [[MASK, 6, 14, MASK, 7, 14, END, ENGLISH]]
    assert exercise.answers.tolist() == [[6, 7, 14, 8, 6, 14, END, ENGLISH]] and not dice.left


def test_only_the_text_is_damaged() -> None:
    ids = np.random.default_rng(0).integers(6, 16, (12, 40))
    ids[3, 30:] = PAD
    exercise = multilingual_denoising(ids, MultilingualDenoising(), WORDS, Dice(1, np.arange(12)))
    assert exercise.source is not None and exercise.source_real is not None
    for row, real, text in zip(exercise.source, exercise.source_real, ids, strict=True):
        source, text = row[real], text[text != PAD]
        assert source[-2] == END and source[-1] == language(text, WORDS) and MASK in source[:-2]
        assert len(source) <= len(text) + 2 and not {END, ENGLISH, CHINESE} & {*source[:-2].tolist()}
    assert exercise.asked.sum(1).tolist() == [42, 42, 42, 32] + [42] * 8


def test_a_little_more_is_damaged_than_in_bart() -> None:
    one, other = Denoising(), MultilingualDenoising()
    assert (one.share, one.span, other.share, other.span) == (0.3, 3.0, 0.35, 3.5)


def test_a_question_is_framed_as_in_training() -> None:
    source = read(np.array([9, MASK, MASK, 15]), WORDS)
    assert source.tolist() == [9, MASK, 15, END, CHINESE] and opening(source, WORDS).tolist() == [CHINESE]
    assert read(np.array([], dtype=np.int64), WORDS).tolist() == [END, ENGLISH]


def test_a_tokenizer_without_languages_is_refused_in_words() -> None:
    without = Vocabulary(size=16, specials={name: n for n, name in enumerate(SPECIALS)}, spelling=lambda: SPELT[:16])
    with pytest.raises(SettingsError, match="no token for the language zh_CN"):
        read(np.array([9]), without)
