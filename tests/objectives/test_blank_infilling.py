"""Blank infilling: the paper's figure worked by hand, the shares, and what must never happen."""

from math import exp, factorial, sqrt

import numpy as np
import pytest
from scripted import Scripted, bound, chi_square

from lab.batch import Exercise
from lab.noise import Dice
from lab.objectives.blank_infilling import SPECIAL_TOKENS, BlankInfilling, blank_infilling, drawn, filling, room
from lab.settings import SettingsError
from lab.vocabulary import SPECIALS, Vocabulary

NAMES = {name: number for number, name in enumerate((*SPECIALS, *SPECIAL_TOKENS))}
KNOWN = Vocabulary(size=1010, specials=NAMES)  # words are 10 to 1009
MASK, SOP, EOP, GMASK = (NAMES[name] for name in ("[MASK]", "[SOP]", "[EOP]", "[gMASK]"))
ROWS, TOKENS = 400, 200


@pytest.fixture(scope="module")
def text() -> np.ndarray:
    ids = np.random.default_rng(0).integers(10, 1010, (ROWS, TOKENS))
    ids.setflags(write=False)
    return ids


@pytest.fixture(scope="module")
def infilled(text: np.ndarray) -> Exercise:
    return blank_infilling(text, BlankInfilling(), KNOWN, Dice(1, np.arange(ROWS)))


def test_the_papers_figure_by_hand() -> None:
    ids = np.array([[11, 12, 13, 14, 15, 16]])  # x1 to x6; x5 x6 and x3 are gone, and x5 x6 is written first
    dice = Scripted(
        [0.2, 0.1, 0.0],  # lengths 2 and 1: one token has 0.157 of the chance, two have 0.236
        [0.9, 0.7, 0.0],  # the last of the five places for two, then the third of x1 x2 x3
        [0.1, 0.5, 0.0],  # in the order in which they were drawn
        [0.5, 0.5],
    )
    found = blank_infilling(ids, BlankInfilling(share=0.5), KNOWN, dice)
    assert found.shown.tolist() == [[11, 12, MASK, 14, MASK, SOP, 15, 16, SOP, 13]]
    assert found.answers[found.asked].tolist() == [15, 16, EOP, 13, EOP]
    assert found.asked.tolist() == [[False] * 5 + [True] * 5]
    assert found.positions is not None and found.positions[0].T.tolist() == [
        [0, 1, 2, 3, 4, 4, 4, 4, 2, 2],
        [0, 0, 0, 0, 0, 1, 2, 3, 1, 2],
    ]
    assert found.table()[0].astype(int).tolist() == [
        *[[1] * 5 + [0] * 5] * 5,
        *[[1] * (5 + n) + [0] * (5 - n) for n in range(1, 6)],
    ]
    assert found.real is not None and found.real.all() and found.following
    assert not dice.left


SPELT = Vocabulary(size=1010, specials=NAMES, spelling=lambda: [b"." if n == 20 else b" w" for n in range(1010)])


def test_whole_sentences_by_hand() -> None:
    ids = np.array([[11, 12, 20, 13, 14, 15, 20, 16, 17, 5]])  # two with a full stop, what follows, and the end
    dice = Scripted([0.5] * 5, [0.5] * 5, [0.9, 0.1, *[0.5] * 3], [0.5, 0.5], [0.3, 0.8, 0.1, *[0.5] * 7])
    found = blank_infilling(ids, BlankInfilling(share=0.5, sentence=1.0), SPELT, dice)
    gone = NAMES[
        "[sMASK]"
    ]  # the last sentence is drawn first and is not enough; the first comes then, and is written first
    assert found.shown.tolist() == [[gone, 13, 14, 15, 20, gone, 5, SOP, 11, 12, 20, SOP, 16, 17]]
    assert found.answers[found.asked].tolist() == [11, 12, 20, EOP, 16, 17, EOP]
    assert found.positions is not None and found.positions[0, 7:, 0].tolist() == [0, 0, 0, 0, 5, 5, 5] and not dice.left


def test_texts_lose_their_end_sentences_or_stretches_as_often_as_the_settings_say() -> None:
    ids = np.random.default_rng(1).integers(10, 60, (3000, 40))
    found = blank_infilling(ids, BlankInfilling(document=0.2, sentence=0.3), SPELT, Dice(6, np.arange(3000)))
    shares = [(found.shown == NAMES[mark]).any(1).mean() for mark in ("[gMASK]", "[sMASK]", "[MASK]")]
    assert np.allclose(shares, [0.2, 0.3, 0.5], atol=4 * 0.5 / sqrt(3000))
    with pytest.raises(SettingsError, match="add up to more than 1"):
        BlankInfilling(document=0.6, sentence=0.5)


def stretches(found: Exercise, row: int) -> list[list[int]]:
    """What part B of a row asks for, stretch by stretch, without the ends."""
    parts: list[list[int]] = []
    for shown, asked, answer in zip(found.shown[row], found.asked[row], found.answers[row], strict=True):
        if asked:
            parts += [[]] if shown == SOP else []
            parts[-1] += [int(answer)]
    assert all(part[-1] == EOP and EOP not in part[:-1] for part in parts)
    return [part[:-1] for part in parts]


def test_part_a_with_its_blanks_written_in_gives_the_original_back(text: np.ndarray, infilled: Exercise) -> None:
    assert infilled.positions is not None and infilled.real is not None
    for row in range(ROWS):
        part_a = infilled.real[row] & ~infilled.asked[row]
        starts = infilled.asked[row] & (infilled.shown[row] == SOP)
        where = infilled.positions[row, starts, 0].tolist()
        shown = [[int(i)] for i in infilled.shown[row, part_a]]
        for place, stretch in zip(where, stretches(infilled, row), strict=True):
            assert shown[place] == [MASK]
            shown[place] = stretch
        assert [i for part in shown for i in part] == text[row].tolist()


def test_the_shares_and_lengths_are_those_of_the_paper(infilled: Exercise) -> None:
    lengths = [[len(part) for part in stretches(infilled, row)] for row in range(ROWS)]
    assert all(30 <= sum(row) < 30 + 39 and sum(row) - min(row[-1:]) < 30 + max(row) for row in lengths)
    every = np.array([length for row in lengths for length in row])
    chances = np.array([exp(-3) * 3**k / factorial(k) for k in range(1, 40)])
    chances /= chances.sum()
    mean = (chances * np.arange(1, 40)).sum()
    assert mean == pytest.approx(3.157, abs=0.001)
    assert every.mean() == pytest.approx(mean, abs=4 * every.std() / sqrt(len(every)) + 0.03)
    for length in (1, 2, 3, 6):  # what ends a row is a little longer than the rest
        assert (every == length).mean() == pytest.approx(chances[length - 1], abs=0.02)


def test_lengths_and_places_of_stretches_follow_their_laws() -> None:
    """The first stretch of a text is drawn before anything is gone. Of 40 words one of n has 41 - n places."""
    rows, words = 12_000, np.ones(40, dtype=bool)
    dice = Dice(7, np.arange(rows))
    rolls = zip(dice.random(6), dice.random(6), strict=True)
    first = [drawn(words, BlankInfilling(), lengths, starts)[0] for lengths, starts in rolls]
    lengths = np.array([each.stop - each.start for each in first])
    chances = np.array([exp(-3) * 3**k / factorial(k) for k in range(1, 40)])
    shares = np.append(chances[:9], chances[9:].sum()) / chances.sum()
    assert chi_square(np.bincount(np.minimum(lengths, 10), minlength=11)[1:], shares) < bound(9)
    places = np.array([each.start for each, length in zip(first, lengths, strict=True) if length == 2])
    assert chi_square(np.bincount(places, minlength=39), np.full(39, 1 / 39)) < bound(38)


def test_stretches_are_written_in_random_order(infilled: Exercise) -> None:
    assert infilled.positions is not None
    rising, n = 0, 0
    for row in range(ROWS):
        where = infilled.positions[row, infilled.asked[row] & (infilled.shown[row] == SOP), 0]
        rising, n = rising + int((np.diff(where) > 0).sum()), n + len(where) - 1
    assert abs(rising / n - 0.5) < 3 * sqrt(0.25 / n)


def test_blanks_never_touch_and_all_places_are_taken_alike(infilled: Exercise) -> None:
    masked = infilled.shown == MASK
    assert not (masked[:, 1:] & masked[:, :-1]).any()
    assert infilled.positions is not None
    where = infilled.positions[..., 0][infilled.asked & (infilled.shown == SOP)]
    early = (where < np.median(np.arange(TOKENS * 0.9))).mean()
    assert abs(early - 0.5) < 0.04


def test_part_b_sees_part_a_and_what_was_written_before_and_part_a_sees_no_part_b(infilled: Exercise) -> None:
    table = infilled.table()
    for row in range(5):
        b = infilled.asked[row]
        a = ~b if infilled.real is None else infilled.real[row] & ~b
        assert table[row][np.ix_(a, a)].all() and table[row][np.ix_(b, a)].all()
        assert not table[row][np.ix_(a, b)].any()
        assert np.array_equal(table[row][np.ix_(b, b)], np.tri(b.sum(), dtype=bool))


def test_special_tokens_are_never_gone_and_padding_is_left_out() -> None:
    ids = np.random.default_rng(1).integers(0, 14, (200, 30))
    found = blank_infilling(ids, BlankInfilling(share=0.5), KNOWN, Dice(2, np.arange(200)))
    answers = found.answers[found.asked]
    assert not KNOWN.is_special(answers[answers != EOP]).any()
    assert found.real is not None and not (found.shown[found.real] == KNOWN.pad).any()


def test_a_text_that_loses_its_end_keeps_half_or_less(text: np.ndarray) -> None:
    found = blank_infilling(text, BlankInfilling(document=1.0), KNOWN, Dice(3, np.arange(ROWS)))
    gone = np.array([len(stretches(found, row)[0]) for row in range(ROWS)])
    assert gone.min() >= TOKENS // 2 and gone.max() <= TOKENS
    assert gone.mean() == pytest.approx(0.75 * TOKENS, abs=3 * TOKENS * 0.144 / sqrt(ROWS) + 0.5)
    for row in range(20):
        kept = TOKENS - int(gone[row])
        assert found.shown[row, : kept + 2].tolist() == [*text[row, :kept], GMASK, SOP]
        assert stretches(found, row)[0] == text[row, kept:].tolist()


@pytest.mark.parametrize("context", [8, 16, 64, 128])
@pytest.mark.parametrize("share", [0.15, 0.9])
def test_every_exercise_fits_the_context(context: int, share: float) -> None:
    s = BlankInfilling(share=share, span=0.5)
    ids = np.random.default_rng(2).integers(10, 1010, (50, room(context, s)))
    assert blank_infilling(ids, s, KNOWN, Dice(4, np.arange(50))).shown.shape[1] <= context


def test_the_same_key_gives_the_same_blanks_and_another_epoch_others(text: np.ndarray) -> None:
    first, again, later = (
        blank_infilling(text, BlankInfilling(), KNOWN, Dice(5, np.arange(ROWS), epoch)) for epoch in (0, 0, 1)
    )
    assert np.array_equal(first.shown, again.shown)
    assert first.shown.shape != later.shown.shape or not np.array_equal(first.shown, later.shown)


def test_a_single_word_is_a_blank() -> None:
    found = blank_infilling(np.array([[11]]), BlankInfilling(), KNOWN, Dice(0))
    assert found.shown.tolist() == [[MASK, SOP, 11]] and found.answers[found.asked].tolist() == [11, EOP]


def test_a_text_without_words_asks_nothing() -> None:
    ids = np.array([[NAMES["[CLS]"], NAMES["[END]"]]])
    found = blank_infilling(ids, BlankInfilling(), KNOWN, Dice(0))
    assert not found.asked.any() and found.shown.tolist() == ids.tolist()


def test_what_is_being_written_stands_where_training_put_it() -> None:
    ids = np.array([11, MASK, 12, MASK])
    found = filling(ids, [np.array([13, 14]), np.array([15])], KNOWN)
    assert found.shown.tolist() == [[11, MASK, 12, MASK, SOP, 13, 14, SOP, 15]]
    assert found.positions is not None and found.positions[0].T.tolist() == [
        [0, 1, 2, 3, 1, 1, 1, 3, 3],
        [0, 0, 0, 0, 1, 2, 3, 1, 2],
    ]
    assert found.asked.tolist() == [[False] * 8 + [True]]
