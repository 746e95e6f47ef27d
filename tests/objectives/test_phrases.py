"""Phrase masking: a case worked by hand, phrases found in every spelling, and what happens where there are none."""

import numpy as np
import pytest
from scripted import SIX, Scripted

from lab.analysis.rates import rates
from lab.catalog import OBJECTIVES, TOKENIZERS
from lab.noise import Dice
from lab.objectives.parts.phrase_list import listed_in, units_of
from lab.objectives.phrases import MOST, Phrases, phrases
from lab.objectives.whole_word import WholeWords, whole_word
from lab.settings import SettingsError
from lab.vocabulary import Vocabulary

SPELT = [b"", b"", b"", b"", b"", b"", b" new", b" y", b"ork", b" is", b" far", b"."]
WORDS = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: SPELT)


def spelling(*tokens: str) -> tuple[Vocabulary, np.ndarray]:
    """A vocabulary of these tokens behind the special ones, and the text that they make."""
    spelt = [b""] * 6 + [token.encode() for token in tokens]
    return Vocabulary(size=len(spelt), specials=SIX.specials, spelling=lambda: spelt), np.arange(6, len(spelt))[None]


def found(listed: str, *tokens: str) -> list[list[int]]:
    """Which places of the text the phrases cover, each as a whole."""
    vocabulary, ids = spelling(*tokens)
    units, known = units_of(ids, listed_in(listed), vocabulary)
    return [np.flatnonzero(units[0] == unit).tolist() for unit in sorted({*units[0][known[0]].tolist()})]


def test_a_sentence_by_hand() -> None:
    ids = np.array([[2, 6, 7, 8, 9, 10, 11, 3]])  # [CLS] new y·ork is far . [SEP]
    dice = Scripted(
        [0.0],  # floor(0.75 * 6 + 0) = 4 tokens at most
        [0.0, 0.9, 0.5, 0.5, 0.3, 0.1, 0.2, 0.0],  # the phrase comes first whatever it drew; then far
        [0.0, 0.1, 0.85, 0.95, 0.0, 0.2, 0.0, 0.0],  # each token is masked, random or kept by itself
        [0.0, 0.0, 0.99, 0.0, 0.0, 0.0, 0.0, 0.0],  # the last of six ordinary tokens
    )
    exercise = phrases(ids, Phrases(phrases="New York", share=0.75), WORDS, dice)
    assert exercise.shown.tolist() == [[2, 4, 11, 8, 9, 4, 11, 3]]
    assert np.flatnonzero(exercise.asked[0]).tolist() == [1, 2, 3, 5]
    assert exercise.answers[exercise.asked].tolist() == [6, 7, 8, 10]
    assert exercise.table().all() and not dice.left


@pytest.mark.parametrize(
    ("listed", "tokens", "places"),
    [
        ("New York", ["In", " new", " y", "ork", "."], [[1, 2, 3]]),  # byte-level BPE
        ("New York", [" in", " New", " York", " ."], [[1, 2]]),  # WordPiece and unigram
        ("new york", ["N", "e", "w", " ", "Y", "o", "r", "k"], [[0, 1, 2, 3, 4, 5, 6, 7]]),  # single characters
        ("York, New York", [" New", " York"], [[0, 1]]),  # the longer one
        ("York\nNew York", [" York", " New", " York"], [[0], [1, 2]]),
        ("art", [" c", "art", " art", "s", " art", "!"], [[4]]),  # never inside a word
        ("火车", ["等", "火", "车", "。"], [[1, 2]]),
        ("火车", [" 等", " 火", " 车", " 。"], [[1, 2]]),  # WordPiece, as the Chinese BERT has it
        ("火车站，五个", ["在", "火车", "站", "五个", "小时"], [[1, 2], [3]]),
        ("火车", ["坐火", "车去"], [[0, 1]]),  # tokens are hidden as wholes
        ("坐火、车去", ["坐", "火车", "去"], [[0, 1, 2]]),  # two that share a token are one
        ("U.S.", [" the", " U", ".", "S", ".", " and"], [[1, 2, 3, 4]]),
        ("", [" New", " York"], []),
        (" , ;", [" New", " York"], []),
        ("[MASK]", [" [", "MASK", "]"], [[0, 1, 2]]),  # what is typed is text
        (".*", [" New", " York"], []),
    ],
)
def test_a_phrase_is_found_in_the_spelling_of_any_tokenizer(
    listed: str, tokens: list[str], places: list[list[int]]
) -> None:
    assert found(listed, *tokens) == places


@pytest.mark.parametrize("kind", TOKENIZERS.names())
def test_a_phrase_is_found_in_what_each_tokenizer_makes_of_a_text(kind: str) -> None:
    text = "He came to New York by train. 他坐火车来到纽约。"
    entry, draw = TOKENIZERS[kind], np.random.default_rng(0)
    shuffled = [draw.permutation([*"他坐火车来到纽约。", " He", " came", " to", " New", " York."]) for _ in range(200)]
    known = entry.build(
        ["".join(each) for each in shuffled],
        entry.settings(**({"vocabulary": 300} if "vocabulary" in entry.settings.knobs() else {})),
    )
    ids = known.encode(text)
    _, listed = units_of(ids[None], ("new york", "火车"), known.vocabulary)
    hidden = known.decode(ids[listed[0]]).lower().replace("火 车", "火车")  # WordPiece parts Chinese by blanks
    assert "new york" in hidden and "火车" in hidden and "came" not in hidden


def test_no_phrase_goes_on_behind_a_special_token_or_into_the_next_row() -> None:
    ids = np.array([[2, 9, 6, 3, 7, 8], [7, 8, 9, 2, 10, 6]])  # is new [SEP] y·ork / y·ork is [CLS] far new
    assert not units_of(ids, ("new york",), WORDS)[1].any()


def test_without_any_of_its_phrases_a_text_has_whole_words_hidden() -> None:
    ids = np.random.default_rng(0).integers(6, 12, (50, 60))
    s = Phrases(phrases="nowhere to be seen")
    asked = phrases(ids, s, WORDS, Dice(1, np.arange(50))).asked
    words = WORDS.words(ids)
    assert (asked[:, 1:] == asked[:, :-1])[words[:, 1:] == words[:, :-1]].all()
    assert asked.mean() == whole_word(ids, WholeWords(), WORDS, Dice(1, np.arange(50))).asked.mean() == 0.15


def test_phrases_are_hidden_as_wholes_one_always_and_others_while_there_is_room() -> None:
    ids = np.tile(np.array([6, 7, 8, 9, 6, 7, 8, 10, 11, 9]), (4000, 1))  # new york is new york far . is
    few = phrases(ids, Phrases(phrases="new york"), WORDS, Dice(2, np.arange(4000))).asked  # 1 or 2 tokens of ten
    assert (few.sum(axis=1) == 3).all() and abs(few[:, 0].mean() - 0.5) < 3 * 0.5 / np.sqrt(4000)
    many = phrases(ids, Phrases(phrases="new york", share=0.8), WORDS, Dice(3, np.arange(4000))).asked
    assert many[:, [0, 1, 2, 4, 5, 6]].all() and (many.sum(axis=1) == 8).all()
    share = many[:, [3, 7, 8, 9]].mean(axis=0)  # two of the other four words
    assert np.abs(share - 0.5).max() < 4 * 0.5 / np.sqrt(4000)


def test_the_expected_share_is_told_for_texts_with_long_phrases() -> None:
    entry = TOKENIZERS["byte_bpe"]
    text = "He came to New York by train. Then he left."
    known = entry.build([text * 4], entry.settings())
    asked = rates(text, OBJECTIVES["phrases"], known, {"phrases": "new york, train"}, rolls=4000)[0]
    assert asked.expected > asked.nominal and abs(asked.observed - asked.expected) < 4 * asked.spread


def test_a_list_without_end_is_refused() -> None:
    with pytest.raises(SettingsError, match="at most 500 phrases"):
        Phrases(phrases=",".join(map(str, range(MOST + 1))))
    assert Phrases(phrases="b a,  c \n c").listed == ("b a", "c")
