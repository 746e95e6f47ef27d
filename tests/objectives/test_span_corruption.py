"""Span corruption: the published counts, cases worked by hand, the shares, and the text put together again."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scripted import SIX, Scripted

from lab.catalog import OBJECTIVES
from lab.noise import Dice
from lab.objectives.parts.sentinels import SENTINELS, gaps, in_place_of, opening, read, sentinels
from lab.objectives.span_corruption import SpanCorruption, counts, drawn, room, span_corruption
from lab.vocabulary import Vocabulary

SIZE = 1106  # six special tokens, a thousand words, and the marks behind them
WORDS = Vocabulary(size=SIZE, specials={**SIX.specials, **{name: SIZE - 1 - n for n, name in enumerate(SENTINELS)}})
END, PAD = WORDS.separate, WORDS.pad
FIRST, SECOND = SIZE - 1, SIZE - 2  # the first two marks


def text(rows: int, tokens: int) -> NDArray[np.int64]:
    ids = np.random.default_rng(0).integers(6, 1006, (rows, tokens))
    ids.setflags(write=False)
    return ids


@pytest.mark.parametrize(
    ("n", "how", "expected"),
    [
        (568, {}, (85, 28)),
        (32, {"share": 0.25}, (8, 3)),
        (32, {"share": 0.25, "span": 2}, (8, 4)),
        (10, {}, (2, 1)),  # 1.5 is rounded to the even number
        (100, {}, (15, 5)),
        (2, {}, (1, 1)),
        (1, {}, (0, 0)),
    ],
)
def test_counts_are_those_of_the_published_code(n: int, how: dict[str, float], expected: tuple[int, int]) -> None:
    assert counts(n, SpanCorruption(**how)) == expected


@pytest.mark.parametrize(
    ("context", "how", "expected"),
    [
        (512, {}, (568, 114)),
        (256, {}, (284, 58)),
        (128, {}, (141, 29)),
        (64, {"share": 0.2, "span": 2}, (70, 22)),
        (64, {"share": 0.2, "span": 1}, (63, 27)),
        (512, {"span": 8}, (588, 100)),
    ],
)
def test_a_context_is_filled_by_as_much_text_as_in_the_published_code(
    context: int, how: dict[str, float], expected: tuple[int, int]
) -> None:
    s = SpanCorruption(**how)
    n = room(context, s)
    exercise = span_corruption(text(3, n), s, WORDS, Dice(0, np.arange(3)))
    assert exercise.source is not None and exercise.source.shape[1] <= context
    assert (n, exercise.shown.shape[1]) == expected
    assert exercise.source.shape[1] == context or how == {"share": 0.2, "span": 1}


def test_568_tokens_give_512_and_114_whatever_the_dice() -> None:
    exercise = span_corruption(text(40, 568), SpanCorruption(), WORDS, Dice(1, np.arange(40)))
    assert exercise.source is not None and exercise.source_real is not None and exercise.real is not None
    assert exercise.source.shape == (40, 512) and exercise.shown.shape == (40, 114)
    assert exercise.source_real.all() and exercise.real.all() and exercise.asked.all()


def test_no_text_has_more_gaps_than_there_are_marks() -> None:
    fine = SpanCorruption(share=0.5, span=1)
    assert room(8192, SpanCorruption()) == 2009  # of 2010 tokens 302 are missing, in 101 stretches
    assert counts(room(8192, fine), fine)[1] == counts(5000, fine)[1] == 100


def test_six_words_by_hand() -> None:
    ids = np.array([[6, 7, 8, 9, 10, 11]])
    dice = Scripted([0.9, 0.1, 0.5, 0.5, 0.5], [0.1, 0.9, 0.5, 0.5, 0.5])  # 3 stay as 2 + 1, 3 go as 1 + 2
    exercise = span_corruption(ids, SpanCorruption(share=0.5, span=1.5), WORDS, dice)
    assert exercise.source is not None
    assert exercise.source.tolist() == [[6, 7, FIRST, 9, SECOND, END]]
    assert exercise.answers.tolist() == [[FIRST, 8, SECOND, 10, 11, END]]
    assert exercise.shown.tolist() == [[PAD, FIRST, 8, SECOND, 10, 11]]
    assert exercise.asked.all() and exercise.following and exercise.visible == "causal"
    assert not dice.left


def test_the_four_ways_to_lose_three_of_six_in_two_stretches_are_as_likely() -> None:
    s, dice = SpanCorruption(share=0.5, span=1.5), Dice(2, np.arange(20_000))
    found = Counter(
        "".join(map(str, drawn(6, s, kept, gone).astype(int)))
        for kept, gone in zip(dice.random(5), dice.random(5), strict=True)
    )
    assert set(found) == {"010011", "001011", "001101", "011001"}
    assert sum((n - 5000) ** 2 / 5000 for n in found.values()) < 16.3  # chi-square, three degrees, one in a thousand


def shrunk(ids: NDArray[np.int64], gone: NDArray[np.bool_], first: int) -> list[int]:
    """The ids with a sentinel for each span that is gone, where ``first`` is the id of the first sentinel."""
    names = Vocabulary(size=first + 1, specials={name: first - n for n, name in enumerate(SENTINELS)})
    found, kept = in_place_of(gone[None], ids[None], np.ones((1, len(ids)), dtype=bool), names)
    return [int(each) for each in found[kept]]


def test_a_stretch_gives_way_to_one_mark_and_the_marks_count_down() -> None:
    ids, gone = np.array([10, 11, 12, 13, 14, 15]), np.array([1, 1, 0, 0, 1, 0], dtype=bool)
    assert shrunk(ids, gone, 999) == [999, 12, 13, 998, 15]
    assert shrunk(ids, ~gone, 999) == [10, 11, 999, 14, 998]


def test_the_pair_of_nineteen_words_is_that_of_the_published_code() -> None:
    ids = np.array([3, 2, 20, 4, 3, 2, 8, 13, 2, 3, 2, 23, 7, 19, 22, 3, 2, 7, 2])
    gone = np.isin(np.arange(19), [8, 14, 15, 16, 17, 18])
    assert shrunk(ids, gone, 25) == [3, 2, 20, 4, 3, 2, 8, 13, 25, 3, 2, 23, 7, 19, 24]
    assert shrunk(ids, ~gone, 25) == [25, 2, 24, 22, 3, 2, 7, 2]  # no mark closes it


def test_marks_are_the_last_ids_and_count_down() -> None:
    assert sentinels(WORDS).tolist() == [*range(SIZE - 1, SIZE - 101, -1)]


def test_the_first_token_stays_the_last_goes_and_the_middle_is_even() -> None:
    s, dice = SpanCorruption(share=0.3), Dice(3, np.arange(6000))
    rolls = [drawn(20, s, kept, gone) for kept, gone in zip(dice.random(19), dice.random(19), strict=True)]
    share = np.mean(rolls, axis=0)
    assert share[0] == 0 and share[-1] == 1 and {int(roll.sum()) for roll in rolls} == {6}
    assert 0.18 < share[6:12].mean() < 0.28


def together(source: list[int], target: list[int]) -> list[int]:
    """The text: each mark of the source gives way to what the target has behind it."""
    names = sentinels(WORDS).tolist()
    behind: dict[int, list[int]] = {}
    for number in target[:-1]:
        if number in names:
            behind[number] = []
        else:
            behind[[*behind][-1]].append(number)
    assert [*behind] == names[: len(behind)] == [number for number in source if number in names]
    return [token for number in source[:-1] for token in behind.get(number, [number])]


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 200), st.floats(0.01, 0.9), st.floats(1, 20), st.integers(0, 2**31))
def test_source_and_target_give_the_text_back(n: int, share: float, span: float, seed: int) -> None:
    s, ids = SpanCorruption(share=share, span=span), text(4, n)
    exercise = span_corruption(ids, s, WORDS, Dice(seed, np.arange(4)))
    assert exercise.source is not None
    if n == 1:
        assert exercise.source.tolist() == [[each, END] for each in ids[:, 0]]
        assert exercise.answers.tolist() == [[FIRST, END]] * 4
        return
    for source, target, row in zip(exercise.source.tolist(), exercise.answers.tolist(), ids.tolist(), strict=True):
        assert source[-1] == target[-1] == END
        assert together(source, target) == row


def test_rows_of_different_lengths_are_padded_and_padding_is_not_asked() -> None:
    ids = text(2, 40).copy()
    ids[1, 20:] = PAD
    exercise = span_corruption(ids, SpanCorruption(), WORDS, Dice(4, np.arange(2)))
    assert exercise.source is not None and exercise.source_real is not None and exercise.real is not None
    assert exercise.source_real.sum(1).tolist() == [40 - 6 + 2 + 1, 20 - 3 + 1 + 1]
    assert exercise.asked.sum(1).tolist() == exercise.real.sum(1).tolist() == [6 + 2 + 1, 3 + 1 + 1]
    assert (exercise.source[~exercise.source_real] == PAD).all() and not exercise.shown[1, 5:].any()
    assert together(exercise.source[1, :19].tolist(), exercise.answers[1, :5].tolist()) == ids[1, :20].tolist()


def test_the_same_key_takes_the_same_and_another_epoch_something_else() -> None:
    ids, s = text(8, 100), SpanCorruption()
    first, again, later = (span_corruption(ids, s, WORDS, Dice(5, np.arange(8), epoch)) for epoch in (0, 0, 1))
    assert np.array_equal(first.source, again.source) and np.array_equal(first.answers, again.answers)
    assert (first.source != later.source).any(axis=1).all()  # type: ignore[union-attr]


def test_masks_of_a_text_become_marks_and_what_an_answer_says_of_each_is_found() -> None:
    mask = WORDS.mask
    source = read(np.array([7, mask, mask, 8, mask]), WORDS)
    assert source.tolist() == [7, FIRST, 8, SECOND, END] and opening(source, WORDS).tolist() == [PAD]
    one, two = gaps(source, np.array([FIRST, 20, 21, SECOND, 22, SIZE - 3, 23]), WORDS)
    assert (one.place, one.before.tolist()) == (range(1, 3), [FIRST])
    assert (two.place, two.before.tolist()) == (range(4, 5), [FIRST, 20, 21, SECOND])
    left_out, said = gaps(source, np.array([9, SECOND, 20]), WORDS)
    assert (len(left_out.place), left_out.before.tolist()) == (0, [9, SECOND, 20, FIRST])
    assert (said.place, said.before.tolist()) == (range(2, 3), [9, SECOND])
    assert gaps(read(np.array([7]), WORDS), np.array([FIRST, 20]), WORDS) == []


def test_nothing_is_missing_from_an_empty_text() -> None:
    missing = OBJECTIVES["span_corruption"].rates.missing
    assert missing and missing(np.zeros(0, dtype=np.int64), SpanCorruption(), SIX) == 0
