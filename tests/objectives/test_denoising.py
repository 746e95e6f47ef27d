"""The five noises of BART: cases worked by hand, the shares and their chances, and the text found again."""

import math
import re
from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scripted import Scripted

from lab.noise import Dice
from lab.objectives.denoising import Denoising, denoising, gaps, opening, read
from lab.objectives.multilingual_denoising import MultilingualDenoising
from lab.objectives.parts.damage import (
    Ids,
    deleted,
    gone_by_infilling,
    infilled,
    masked,
    permuted,
    rotated,
    runs,
    word_starts,
)
from lab.vocabulary import SPECIALS, Vocabulary

# Ids 6 to 15 are words, 16 goes on with a word, 17 and 18 are full stops.
SPELT = [b"", *[b""] * 5, *[b" " + bytes([97 + n]) for n in range(10)], b"ing", b".", "。".encode()]
WORDS = Vocabulary(size=19, specials={name: n for n, name in enumerate(SPECIALS)}, spelling=lambda: SPELT)
MASK, BEGIN, END = WORDS.mask, WORDS.begin, WORDS.separate
LUCK = st.integers(0, 2**31)
TEXTS = st.lists(st.integers(6, 18), min_size=1, max_size=60).map(np.array)
TEN = np.arange(6, 16)


def luck(seed: int, n: int) -> NDArray[np.float64]:
    return Dice(seed).random(n)[0]


def three(seed: int, n: int) -> tuple[NDArray[np.float64], ...]:
    dice = Dice(seed)
    return dice.random(2 * n)[0], dice.random(n)[0], dice.random(2 * n)[0]


def chi_square(found: Counter[object], kinds: int) -> float:
    """How far the counts are from even."""
    even = sum(found.values()) / kinds
    return sum((found[kind] - even) ** 2 / even for kind in found) + (kinds - len(found)) * even


# ---- one noise after the other


def test_masking_by_hand() -> None:
    assert masked(TEN[:5], 0.3, MASK, np.array([0.5, 0.1, 0.9, 0.2, 0.7])).tolist() == [6, MASK, 8, MASK, 10]


def test_deletion_by_hand() -> None:
    assert deleted(TEN[:5], 0.3, np.array([0.5, 0.1, 0.9, 0.2, 0.7])).tolist() == [6, 8, 10]


def test_infilling_by_hand() -> None:
    # Half of ten words go. Poisson's law of mean 3 passes 0.05 at no word, 0.42 at two and 0.65 at three: the runs have
    # 3, 0 and 3 words, the last cut to 2. The first begins at the second word, the other at the seventh.
    lengths = np.array([0.5, 0.01, 0.5, *[0.9] * 17])
    begins = np.array([0.5, 0.0, 0.5, 0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.5])
    more = np.array([*[0.5] * 3, 0.0, *[0.5] * 16])  # the mask for no words becomes the fourth token
    assert infilled(TEN, 0.5, 3.0, WORDS, (lengths, begins, more)).tolist() == [6, MASK, 10, MASK, 11, MASK, 14, 15]


def test_runs_that_meet_take_fewer_words_and_one_that_is_overrun_loses_its_mask() -> None:
    lengths = np.array([0.5, 0.3, *[0.9] * 18])  # three words, and two
    begins = np.array([0.5, 0.0, 0.1, *[0.5] * 7])  # the second begins inside the first
    assert infilled(TEN, 0.5, 3.0, WORDS, (lengths, begins, luck(0, 20))).tolist() == [6, MASK, *range(10, 16)]


def test_words_go_as_a_whole() -> None:
    text = np.array([6, 16, 16, 7, 8, 16, 17])
    assert word_starts(text, WORDS).tolist() == [0, 3, 4, 6]
    one_word, second = np.full(14, 0.1), np.array([0.5, 0.9, 0.0, 0.7, 0.5, 0.5, 0.5])
    assert infilled(text, 0.2, 3.0, WORDS, (one_word, second, luck(0, 14))).tolist() == [6, 16, 16, 7, MASK, 17]


def test_permutation_by_hand() -> None:
    text = np.array([6, 17, 7, 8, 18, 9, 10])
    assert permuted(text, WORDS, np.array([0.9, 0.5, 0.1, 0, 0, 0, 0])).tolist() == [9, 10, 7, 8, 18, 6, 17]


def test_rotation_by_hand() -> None:
    assert rotated(TEN[:4], 0.6).tolist() == [8, 9, 6, 7]
    assert rotated(TEN[:4], 0.0).tolist() == [6, 7, 8, 9]


# ---- chances


def test_lengths_of_runs_follow_the_law_of_poisson() -> None:
    rolls = Dice(1, np.arange(40_000)).random(4)
    first = Counter(int(runs(50, 3.0, each)[0]) for each in rolls)
    wanted = {n: 40_000 * math.exp(-3) * 3**n / math.factorial(n) for n in range(9)}
    assert sum((first[n] - wanted[n]) ** 2 / wanted[n] for n in wanted) < 27.9  # nine degrees, one in a thousand


@pytest.mark.parametrize("span", [0.5, 3.0, 3.5])
def test_runs_have_exactly_the_words_that_are_to_go(span: float) -> None:
    for words in (1, 7, 40):
        for seed in range(50):
            assert runs(words, span, luck(seed, 4 * words + 60)).sum() == words


def test_every_order_of_three_sentences_is_as_likely() -> None:
    text = np.array([6, 17, 7, 17, 8, 17])
    found = Counter(tuple(permuted(text, WORDS, each)[::2].tolist()) for each in Dice(2, np.arange(18_000)).random(6))
    assert set(found) == {*permutations((6, 7, 8))} and chi_square(found, 6) < 20.5


def test_a_rotated_text_begins_at_every_token_as_often() -> None:
    found = Counter(int(rotated(TEN, each[0])[0]) for each in Dice(3, np.arange(10_000)).random(1))
    assert chi_square(found, 10) < 27.9


def test_what_infilling_takes_on_average_is_what_arithmetic_says() -> None:
    # One word of five goes. Of two words both go if the runs have one word each, or if one run of two begins at the
    # first; if it begins at the second, one goes.
    one = 3 * math.exp(-3) / (1 - math.exp(-3))
    assert gone_by_infilling([TEN[:5]], 0.1, 3.0, WORDS) == pytest.approx(0.2)
    assert gone_by_infilling([TEN[:2]], 0.9, 3.0, WORDS) == pytest.approx(one + 0.75 * (1 - one), abs=0.02)


def test_what_infilling_takes_on_average_is_what_is_counted() -> None:
    text = np.array([6, 16, 16, 7, 8, 16, 17, *TEN, 16, 16, 16, *TEN[:5], 17])
    left = [(infilled(text, 0.3, 3.0, WORDS, three(seed, len(text))) != MASK).sum() for seed in range(2000)]
    counted = 1 - np.mean(left) / len(text)
    assert counted == pytest.approx(gone_by_infilling([text], 0.3, 3.0, WORDS), abs=0.01)
    assert 0.2 < counted < 0.33


# ---- what can be found again


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.floats(0.01, 0.9), LUCK)
def test_masked_and_deleted_texts_have_lost_their_share_and_nothing_else(text: Ids, share: float, seed: int) -> None:
    n, chance = len(text), luck(seed, len(text))
    hidden = masked(text, share, MASK, chance)
    assert ((hidden == MASK) | (hidden == text)).all() and (hidden == MASK).sum() == math.ceil(share * n)
    assert deleted(text, share, chance).tolist() == hidden[hidden != MASK].tolist()


@settings(deadline=None, max_examples=100)
@given(TEXTS, st.floats(0.01, 0.9), st.floats(0.5, 8), LUCK)
def test_a_text_is_what_is_left_with_something_or_nothing_at_each_mask(
    text: Ids, share: float, span: float, seed: int
) -> None:
    source = infilled(text, share, span, WORDS, three(seed, len(text)))
    pattern = "".join("(.*)" if token == MASK else re.escape(chr(100 + token)) for token in source)
    assert re.fullmatch(pattern, "".join(chr(100 + token) for token in text))
    assert MASK in source and len(source) <= len(text)


@settings(deadline=None, max_examples=60)
@given(TEXTS, LUCK)
def test_sentences_change_places_and_stay_whole(text: Ids, seed: int) -> None:
    def sentences(ids: Ids) -> list[list[int]]:
        found: list[list[int]] = [[]]
        for token in ids.tolist():
            found[-1].append(token)
            found += [[]] if token in (17, 18) else []
        return [each for each in found if each]

    order = np.argsort(luck(seed, len(text))[: len(sentences(text))])
    moved = permuted(text, WORDS, luck(seed, len(text)))
    assert moved.tolist() == [token for n in order for token in sentences(text)[n]]


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.floats(0, 1, exclude_max=True))
def test_a_rotated_text_can_be_turned_back(text: Ids, chance: float) -> None:
    place = int(chance * len(text))
    assert np.roll(rotated(text, chance), place).tolist() == text.tolist()


# ---- the objective


def framed(rows: int, tokens: int) -> Ids:
    ids = np.random.default_rng(0).integers(6, 19, (rows, tokens))
    ids[:, 0], ids[:, -1] = BEGIN, END
    ids.setflags(write=False)
    return ids


def test_a_text_of_two_sentences_by_hand() -> None:
    ids = np.array([[BEGIN, 6, 17, 7, 8, 17, END]])  # the first sentence comes second, and "b" and "c" are a mask
    order, lengths = [0.9, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5], [0.3, *[0.9] * 13]
    places, extra, begin = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.9], [0.5] * 14, [0.3]
    dice = Scripted(order, lengths, places, extra, begin)
    exercise = denoising(ids, Denoising(), WORDS, dice)
    assert exercise.source is not None and exercise.source.tolist() == [[BEGIN, MASK, 17, 6, 17, END]]
    assert exercise.shown.tolist() == [[END, BEGIN, 6, 17, 7, 8, 17]]
    assert exercise.answers.tolist() == ids.tolist() and exercise.asked.all()
    assert exercise.following and exercise.visible == "causal" and not dice.left
    turned = denoising(ids, Denoising(rotate=True), WORDS, Scripted(order, lengths, places, extra, begin))
    assert turned.source is not None and turned.source.tolist() == [[BEGIN, 17, 6, 17, MASK, END]]


@pytest.mark.parametrize("noise", ["infilling", "masking", "deletion", "none"])
@pytest.mark.parametrize("permute", [False, True])
def test_each_way_damages_the_source_and_never_the_answer(noise: str, permute: bool) -> None:
    ids = framed(16, 40)
    exercise = denoising(ids, Denoising(noise=noise, permute=permute), WORDS, Dice(4, np.arange(16)))
    assert exercise.source is not None and exercise.source_real is not None
    assert np.array_equal(exercise.answers, ids) and exercise.asked.all()
    assert (exercise.source[:, 0] == BEGIN).all() and exercise.source.shape[1] <= 40
    assert (exercise.source == MASK).any(1).all() == (noise in ("infilling", "masking"))
    same = exercise.source.shape == ids.shape and (exercise.source == ids).all(1)
    assert np.all(same) == (noise == "none" and not permute)
    last = exercise.source_real.sum(1) - 1
    assert (exercise.source[np.arange(16), last] == END).all()


def test_shorter_rows_are_padded_and_padding_is_neither_read_nor_asked() -> None:
    ids = framed(2, 40).copy()
    ids[1, 20:], ids[1, 19] = WORDS.pad, END
    exercise = denoising(ids, Denoising(), WORDS, Dice(5, np.arange(2)))
    assert exercise.source is not None and exercise.source_real is not None
    assert exercise.asked.sum(1).tolist() == [40, 20] and exercise.source_real[1].sum() <= 20
    assert (exercise.source[~exercise.source_real] == WORDS.pad).all()


def test_the_same_key_damages_alike_and_another_epoch_otherwise() -> None:
    ids, s = framed(8, 60), Denoising()
    first, again, later = (denoising(ids, s, WORDS, Dice(6, np.arange(8), epoch)) for epoch in (0, 0, 1))
    assert first.source is not None and later.source is not None
    assert np.array_equal(first.source, again.source) and first.source.tolist() != later.source.tolist()


def test_what_an_answer_says_of_each_mask_stands_between_its_neighbours() -> None:
    source = read(np.array([6, MASK, MASK, 7, 8, MASK]), WORDS)
    assert source.tolist() == [BEGIN, 6, MASK, 7, 8, MASK, END]
    assert opening(source, WORDS).tolist() == [END, BEGIN]
    both = gaps(source, np.array([6, 9, 10, 7, 8, 11]), WORDS)
    assert [gap.place for gap in both] == [range(1, 3), range(5, 6)]
    assert [gap.before.tolist() for gap in both] == [[6], [6, 9, 10, 7, 8]]
    assert 7 in both[0].leaves and 8 not in both[0].leaves and {7, 8}.isdisjoint(both[1].leaves)
    assert END in both[0].leaves & both[1].leaves
    empty = gaps(source, np.array([6, 7, 8]), WORDS)
    assert [gap.place for gap in empty] == [range(0), range(0)]
    assert [gap.before.tolist() for gap in empty] == [[6], [6, 7, 8]]
    assert gaps(read(np.array([6]), WORDS), np.array([6]), WORDS) == []


def test_an_answer_that_does_not_copy_its_source_is_asked_about_each_gap_behind_the_sources_own_text() -> None:
    source = read(np.array([6, MASK, 7, 8, MASK, 9]), WORDS)
    for answer in ([], [10, 10, 11]):
        lost = gaps(source, np.array(answer, dtype=np.int64), WORDS)
        assert [len(gap.place) for gap in lost] == [0, 0]
        assert [gap.before.tolist() for gap in lost] == [[6], [6, 7, 8]]
    one, two = gaps(source, np.array([6, 10, 7, 11]), WORDS)  # 8 is missing: it is not known what stands behind it
    assert (one.place, one.before.tolist()) == (range(1, 2), [6])
    assert (len(two.place), two.before.tolist()) == (0, [6, 10, 7, 8])
    (beginning,) = gaps(read(np.array([MASK, 7]), WORDS), np.array([10, 7]), WORDS)
    assert (beginning.place, beginning.before.tolist()) == (range(1), [])


@pytest.mark.parametrize("kind", [Denoising, MultilingualDenoising])
def test_what_a_noise_does_not_need_is_said_beside_it(kind: type[Denoising]) -> None:
    def turns(noise: str, one: Denoising, other: Denoising) -> bool:
        ids = framed(8, 60)
        few, many = (denoising(ids, replace(s, noise=noise), WORDS, Dice(6, np.arange(8))) for s in (one, other))
        assert few.source is not None and many.source is not None
        return few.source.tolist() != many.source.tolist()

    noises = ("infilling", "masking", "deletion", "none")
    share, span = (kind.knobs()[name].metadata["knob"] for name in ("share", "span"))
    assert [turns(n, kind(share=0.2), kind(share=0.6)) for n in noises] == [True, True, True, False]
    assert share.en.startswith("If noise on words: ") and share.zh.startswith("对词加噪声时：")
    assert [turns(n, kind(span=2.0), kind(span=8.0)) for n in noises] == [True, False, False, False]
    assert span.en.startswith("Text infilling: ") and span.zh.startswith("文本填充：")
