"""What all objectives that hide tokens in place have in common: the text comes back, and chance is told, not found."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scripted import SIX

from lab.catalog import OBJECTIVES
from lab.noise import Dice
from lab.vocabulary import Vocabulary

MASKED = ("mlm", "whole_word", "ngram", "span", "phrases", "macbert", "rtd")
WORDWISE = ("whole_word", "ngram", "phrases", "macbert")  # where a word is asked as a whole
SPELT = [b""] * 6 + [b" the", b" cat", b" s", b"at", b".", b"\xe7\x8c\xab"]
KINDS = {  # how the same text is written by a byte-level BPE, a WordPiece tokenizer and a unigram one
    "byte_bpe": [b" play", b"ing", b" the", b" piano", b"s", b"."],
    "wordpiece": [b" play", b"ing", b" the", b" piano", b"s", b" ."],
    "unigram": [b" play", b"ing", b" the", b" pi", b"anos", b"."],
}
WORDS = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: SPELT)
ROWS, TOKENS = 400, 300  # 120,000 tokens


@pytest.fixture(scope="module")
def text() -> NDArray[np.int64]:
    ids = np.random.default_rng(0).integers(6, 12, (ROWS, TOKENS))
    ids.setflags(write=False)
    return ids


@settings(deadline=None, max_examples=40)
@pytest.mark.parametrize("name", MASKED)
@given(
    ids=st.integers(1, 30).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 11), min_size=n, max_size=n), min_size=1, max_size=4)
    ),
    share=st.floats(0.01, 1),
    seed=st.integers(0, 2**31),
)
def test_what_is_shown_and_what_is_answered_give_the_text_back(
    name: str, ids: list[list[int]], share: float, seed: int
) -> None:
    objective, rows = OBJECTIVES[name], np.array(ids)
    exercise = objective.build(rows, objective.settings(share=share), WORDS, Dice(seed, np.arange(len(rows))))
    assert (np.where(exercise.asked, exercise.answers, exercise.shown) == rows).all()
    assert (exercise.shown == rows)[~exercise.asked].all()
    assert not exercise.asked[WORDS.is_special(rows)].any()
    ordinary = (~WORDS.is_special(rows)).any(axis=1)
    assert (exercise.asked.any(axis=1) == ordinary).all()  # wherever there is text, something is asked


@pytest.mark.parametrize("name", MASKED)
def test_a_row_has_its_own_chance_and_each_epoch_another(name: str, text: NDArray[np.int64]) -> None:
    objective, before = OBJECTIVES[name], text.copy()
    build, s = objective.build, objective.settings()
    first, again, later = (build(text, s, WORDS, Dice(10, np.arange(ROWS), epoch)) for epoch in (0, 0, 1))
    assert (first.shown == again.shown).all() and (first.asked == again.asked).all()
    assert (first.asked != later.asked).any(axis=1).all()
    turned = build(text[::-1], s, WORDS, Dice(10, np.arange(ROWS)[::-1]))
    assert (turned.shown == first.shown[::-1]).all()
    assert (build(text[7:8], s, WORDS, Dice(10, [7])).shown == first.shown[7:8]).all()
    assert (text == before).all() and not np.shares_memory(first.shown, text)


@pytest.mark.parametrize("name", MASKED)
def test_no_row_is_asked_for_more_than_its_share(name: str, text: NDArray[np.int64]) -> None:
    objective = OBJECTIVES[name]
    asked = objective.build(text, objective.settings(share=0.151), WORDS, Dice(1, np.arange(ROWS))).asked.sum(axis=1)
    assert asked.max() <= 46 and asked.min() >= 44  # 45.3: a token may be left over where only long words are
    assert abs(asked.mean() - (46 if name == "span" else 45.3)) < 0.15


@pytest.mark.parametrize("name", ["whole_word", "ngram", "span", "phrases"])
def test_eighty_ten_ten(name: str, text: NDArray[np.int64]) -> None:
    objective = OBJECTIVES[name]
    exercise = objective.build(text, objective.settings(), WORDS, Dice(2, np.arange(ROWS)))
    asked, n = exercise.asked, int(exercise.asked.sum())
    spread = 3.5 if name == "span" else 1.0  # how many tokens, at most, share a draw on average, as a spread
    masked, kept = (exercise.shown == WORDS.mask)[asked].mean(), (exercise.shown == text)[asked].mean()
    for share, expected in ((masked, 0.8), (kept, 0.1 + 0.1 / 6), (1 - masked - kept, 0.1 - 0.1 / 6)):
        assert abs(share - expected) < 3 * spread * sqrt(expected * (1 - expected) / n)


@pytest.mark.parametrize("name", WORDWISE)
def test_a_word_is_asked_as_a_whole_or_not_at_all(name: str, text: NDArray[np.int64]) -> None:
    objective = OBJECTIVES[name]
    words = WORDS.words(text)
    asked = objective.build(text, objective.settings(), WORDS, Dice(3, np.arange(ROWS))).asked
    same = words[:, 1:] == words[:, :-1]
    assert same.sum() > 10_000 and (asked[:, 1:] == asked[:, :-1])[same].all()


@pytest.mark.parametrize("name", ["whole_word", "ngram"])
@pytest.mark.parametrize("kind", KINDS)
def test_words_are_whole_in_the_spelling_of_every_kind_of_tokenizer(name: str, kind: str) -> None:
    known = Vocabulary(size=12, specials=SIX.specials, spelling=lambda: [b""] * 6 + KINDS[kind])
    ids = np.tile(np.array([2, 6, 7, 8, 9, 10, 11, 3]), (300, 1))
    objective = OBJECTIVES[name]
    asked = objective.build(ids, objective.settings(share=0.34), known, Dice(4, np.arange(300))).asked
    assert (asked[:, 1] == asked[:, 2]).all() and (asked[:, 4] == asked[:, 5]).all()
    assert asked[:, 1].any() and asked[:, 3].any() and not asked[:, [0, 7]].any()


@pytest.mark.parametrize("name", ["whole_word", "ngram", "span", "phrases", "macbert"])
def test_all_places_in_the_middle_are_asked_alike(name: str) -> None:
    objective, rows = OBJECTIVES[name], 4000
    ids = np.full((rows, 60), 7)
    asked = objective.build(ids, objective.settings(), WORDS, Dice(5, np.arange(rows))).asked[:, 15:45]
    share = asked.mean()
    spread = ((asked.sum(axis=0) - share * rows) ** 2 / (share * (1 - share) * rows)).sum()
    assert spread < 59.7  # chi-square, 30 degrees, one in a thousand


def test_no_run_and_no_span_goes_on_behind_a_special_token() -> None:
    ids = np.tile(np.array([2, 7, 7, 3, 7, 7, 3]), (400, 1))  # [CLS] cat cat [SEP] cat cat [SEP]
    for name in ("ngram", "span"):
        objective = OBJECTIVES[name]
        asked = objective.build(ids, objective.settings(share=0.5), WORDS, Dice(6, np.arange(400))).asked
        assert (asked.sum(axis=1) == 2).all() and not asked[:, [0, 3, 6]].any()
        assert asked[:, 1:3].all(axis=1).any() and (asked[:, 2] & asked[:, 4]).any()
