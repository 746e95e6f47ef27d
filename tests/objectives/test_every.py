"""What must hold of every token objective, in every way that its settings name.

Shown and answers give the text back, chance is a function of seed, row and epoch alone, and no number has changed.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from every import WORDS, Way, counted, digest, row, texts, ways
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.batch import Exercise
from lab.noise import Dice
from lab.vocabulary import SPECIALS, Vocabulary

EVERY = [pytest.param(way, id=way.name) for way in ways()]
FROZEN = json.loads(Path(__file__).with_name("frozen.json").read_text(encoding="utf-8"))
PAD, SEPARATE = 0, SPECIALS.index("[SEP]")


@pytest.mark.parametrize("way", EVERY)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31), tokens=st.integers(1, 60), epoch=st.integers(0, 9))
def test_what_is_shown_and_what_is_answered_give_the_text_back(way: Way, seed: int, tokens: int, epoch: int) -> None:
    ids = way.framed(texts(seed, 100, tokens))
    ids.setflags(write=False)
    exercise = way.exercise(ids, Dice(seed, np.arange(100), epoch))
    for n, text in enumerate(ids):
        read = [*text[text != PAD]]
        if exercise.backwards is not None and exercise.backwards[n]:
            read[:-2] = read[-3::-1]  # all but what closes the row
        assert_restored(read, exercise, n, way.vocabulary)


def assert_restored(text: list[int], exercise: Exercise, n: int, vocabulary: Vocabulary) -> None:
    """Row ``n`` of the exercise says all of the text."""
    if exercise.source is not None:
        assert_written(text, exercise, n, vocabulary)
    elif exercise.positions is not None and exercise.following:
        assert filled(exercise, n) == text
    elif exercise.following:
        asked = np.flatnonzero(exercise.asked[n])
        assert exercise.shown[n][: len(text)].tolist() == text
        assert exercise.answers[n][asked].tolist() == [text[place + 1] for place in asked]
    else:
        whole = np.where(exercise.asked[n], exercise.answers[n], exercise.shown[n])
        assert whole[: len(text)].tolist() == text and not exercise.asked[n][len(text) :].any()


def assert_written(text: list[int], exercise: Exercise, n: int, vocabulary: Vocabulary) -> None:
    """The answer is the text; or it says what each mark stands for; or it goes on where the source ends; or, where it
    does not say from where they are, source and answer have the tokens of the text between them."""
    assert exercise.source is not None and exercise.source_real is not None and exercise.real is not None
    marks = {number for name, number in vocabulary.specials.items() if name not in SPECIALS}
    source, answer = (
        exercise.source[n][exercise.source_real[n]].tolist(),
        exercise.answers[n][exercise.real[n]].tolist(),
    )
    assert exercise.shown[n][exercise.real[n]].tolist()[1:] == answer[:-1]
    behind: dict[int, list[int]] = {}
    for number in answer[:-1] if answer[0] in marks else []:
        behind[number] = behind.get(number, [])
        if number not in marks:
            behind[[mark for mark in behind if mark in marks][-1]].append(number)
    merged = [
        token for number in source[:-1] for token in (behind.get(number, [number]) if number in marks else [number])
    ]
    plain, said = (without_frame(each) for each in (text, answer))
    if said in (plain, [*plain, SEPARATE]) or [token for token in said if token not in marks] == [*plain, SEPARATE]:
        return
    assert merged == text or source[:-1] + answer[:-1] == text or sorted(source[:-1] + answer[:-1]) == sorted(text)


def without_frame(ids: list[int]) -> list[int]:
    begin = SPECIALS.index("[CLS]")
    return [token for token in ids if token != begin]


def filled(exercise: Exercise, n: int) -> list[int]:
    """Part A of a row, with what part B says in the place of each blank."""
    assert exercise.positions is not None and exercise.real is not None
    place, inside = exercise.positions[n][exercise.real[n]].T
    shown, answers = exercise.shown[n][exercise.real[n]], exercise.answers[n][exercise.real[n]]
    assert (exercise.asked[n][exercise.real[n]] == (inside > 0)).all()
    stretches = {at: answers[(place == at) & (inside > 0)].tolist()[:-1] for at in {*place[inside > 0].tolist()}}
    return [token for at, number in enumerate(shown[inside == 0].tolist()) for token in stretches.get(at, [number])]


@pytest.mark.parametrize("way", EVERY)
def test_a_row_does_not_depend_on_its_batch_nor_on_who_else_is_at_work(way: Way) -> None:
    ids = way.framed(texts(1, 24, 40))
    whole = way.exercise(ids, Dice(7, np.arange(24), 2))
    parts = [np.array(part) for part in ([3], [17, 4, 9], [*range(23, 11, -1)], [0, 1])]
    with ThreadPoolExecutor(4) as workers:
        made = [*workers.map(lambda part: way.exercise(ids[part], Dice(7, part, 2)), parts)]
    for part, exercise in zip(parts, made, strict=True):
        assert [row(exercise, n) for n in range(len(part))] == [row(whole, int(n)) for n in part]


@pytest.mark.parametrize("way", EVERY)
def test_special_tokens_are_neither_hidden_nor_replaced(way: Way) -> None:
    ids = way.framed(texts(2, 60, 50))
    before = ids.copy()
    exercise, special = way.exercise(ids, Dice(3, np.arange(60))), way.vocabulary.is_special(ids)
    assert np.array_equal(ids, before) and exercise.shown.dtype == exercise.answers.dtype == np.int64
    turned = exercise.backwards is not None and exercise.backwards.any()
    if exercise.source is None and exercise.shown.shape == ids.shape and not exercise.following and not turned:
        assert (exercise.shown == ids)[special].all()
        if hasattr(way.settings, "share"):
            assert not (exercise.asked & special).any()


@pytest.mark.parametrize("way", [each for each in EVERY if each.id in FROZEN])
def test_no_number_of_a_fixed_exercise_has_changed(way: Way) -> None:
    """A change of these numbers changes every run: tests/objectives/freeze.py writes them anew where it is meant."""
    assert frozen(way) == FROZEN[way.name]


def frozen(way: Way) -> str:
    ids = way.framed(counted(12, 48))
    return digest(way.exercise(ids, Dice(20_261_121, 5 * np.arange(12), 3)))


def test_a_frozen_exercise_would_notice_a_change() -> None:
    way = ways()[0]
    ids = way.framed(counted(12, 48))
    assert digest(way.exercise(ids, Dice(20_261_121, 5 * np.arange(12), 4))) != FROZEN[way.name]
    assert len(SPECIALS) <= ids.min() or ids.max() < len(SPECIALS) + WORDS
