"""The shares that papers promise, held against 10^5 to 10^6 tokens at fixed seeds, by chi-square or exact bounds.

A chi-square bound is passed by one in a thousand fair dice; a share's by less than one in ten thousand.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scripted import LARGE, SIX, bound, chi_square

from lab.catalog import OBJECTIVES
from lab.noise import Dice
from lab.objectives.mlm import Mlm, mlm
from lab.objectives.parts.sentinels import SENTINELS
from lab.objectives.rtd import Rtd, rtd
from lab.objectives.span_corruption import SpanCorruption, counts, drawn, span_corruption
from lab.vocabulary import Vocabulary

WIDE = Vocabulary(size=100_006, specials=SIX.specials)
ROWS, T = 4000, 100


def words(rows: int, tokens: int) -> NDArray[np.int64]:
    return np.random.default_rng(0).integers(6, 1006, (rows, tokens))


def test_the_bound_is_that_of_the_tables() -> None:
    assert bound(2) == pytest.approx(13.8, abs=0.4) and bound(99) == pytest.approx(148.2, abs=0.3)


@pytest.mark.parametrize("share", [0.1, 0.15, 0.3, 0.5])
def test_a_hundred_thousand_different_tokens_keep_the_bounds_of_the_peer(share: float) -> None:
    ids = np.arange(6, 100_006)[None]
    exercise = mlm(ids, Mlm(share=share), WIDE, Dice(1))
    asked, n = exercise.asked, int(exercise.asked.sum())
    masked, kept = (exercise.shown == WIDE.mask)[asked].mean(), (exercise.shown == ids)[asked].mean()
    assert abs(n - share * 100_000) <= 1 and exercise.shown.shape == ids.shape
    assert 0.79 < masked < 0.81 and 0.09 < kept < 0.11 and 0.09 < 1 - masked - kept < 0.11
    assert (exercise.shown == ids)[~asked].all()


def test_half_masked_and_nothing_else_says_the_text_in_order() -> None:
    ids = words(1, 100_000)
    exercise = mlm(ids, Mlm(share=0.5, mask=1.0, random=0.0), LARGE, Dice(2))
    hidden = exercise.shown == LARGE.mask
    assert hidden.sum() == 50_000 and np.array_equal(ids[hidden], exercise.answers[exercise.asked])


def test_masked_random_and_kept_are_80_10_and_10_of_sixty_thousand() -> None:
    ids = words(ROWS, T)
    exercise = mlm(ids, Mlm(), LARGE, Dice(3, np.arange(ROWS)))
    shown, true = exercise.shown[exercise.asked], ids[exercise.asked]
    found = np.array([(shown == LARGE.mask).sum(), (shown == true).sum(), 0])
    found[2] = len(shown) - found.sum()
    assert chi_square(found, [0.8, 0.1 + 0.1 / 1000, 0.1 - 0.1 / 1000]) < bound(2)
    random = shown[(shown != LARGE.mask) & (shown != true)]
    assert chi_square(np.bincount(random - 6, minlength=1000), np.full(1000, 1e-3)) < bound(999)


def test_85_and_15_are_masked_and_left_in_replaced_token_detection() -> None:
    ids = words(ROWS, T)
    exercise = rtd(ids, Rtd(), LARGE, Dice(4, np.arange(ROWS)))
    masked = (exercise.shown == LARGE.mask).sum()
    assert chi_square(np.array([masked, exercise.asked.sum() - masked]), [0.85, 0.15]) < bound(1)


@pytest.mark.parametrize("name", ["mlm", "rtd"])
def test_every_place_is_asked_as_often(name: str) -> None:
    objective = OBJECTIVES[name]
    exercise = objective.build(words(ROWS, T), objective.settings(), LARGE, Dice(5, np.arange(ROWS)))
    # Drawn without replacement: the counts vary less than chi-square supposes, by the share that is not asked.
    assert 55 < chi_square(exercise.asked.sum(0), np.full(T, 1 / T)) / 0.85 < bound(T - 1)


def test_a_row_of_ten_asks_for_one_or_two_as_often() -> None:
    asked = mlm(words(20_000, 10), Mlm(), LARGE, Dice(6, np.arange(20_000))).asked.sum(1)
    assert chi_square(np.bincount(asked, minlength=3)[1:], [0.5, 0.5]) < bound(1) and set(asked) == {1, 2}
    assert set(mlm(words(500, 100), Mlm(), LARGE, Dice(7, np.arange(500))).asked.sum(1)) == {15}


def test_fifty_rows_of_16_17_and_18_lose_133_of_849_whatever_the_seed() -> None:
    lengths = [16 + n % 3 for n in range(50)]
    missing = [int(drawn(n, SpanCorruption(), *Dice(8, n).random(2 * n).reshape(2, n)).sum()) for n in lengths]
    assert (sum(missing), sum(lengths)) == (133, 849) and counts(32, SpanCorruption(share=0.25, span=2)) == (8, 4)


def test_a_thousand_sources_and_targets_are_walked_through_together() -> None:
    """As the peer's test does: each mark of the source, counting down, is next in the target, with what is missing."""
    specials = {**SIX.specials, **{name: 1105 - n for n, name in enumerate(SENTINELS)}}
    vocabulary, ids = Vocabulary(size=1106, specials=specials), words(1000, 64)
    exercise = span_corruption(ids, SpanCorruption(), vocabulary, Dice(9, np.arange(1000)))
    assert exercise.source is not None
    for text, source, target in zip(ids.tolist(), exercise.source.tolist(), exercise.answers.tolist(), strict=True):
        said, at, next_mark = iter(target), 0, 1105
        assert next(said) == next_mark
        for token in source[:-1]:
            if token != next_mark:
                assert token == text[at]
                at += 1
                continue
            next_mark -= 1
            for answer in said:
                if answer in (next_mark, vocabulary.separate):
                    break
                assert answer == text[at]
                at += 1
        assert at == len(text)


def test_lengths_of_gaps_are_those_of_even_partitions() -> None:
    """Of 12 missing tokens in 4 gaps a given one has k with probability C(10 - k, 2) / C(11, 3): even over all ways."""
    s, n = SpanCorruption(share=0.5, span=3), 24
    luck = Dice(10, np.arange(20_000))
    first = []
    for kept, gone in zip(luck.random(n), luck.random(n), strict=True):
        edges = np.flatnonzero(np.diff(drawn(n, s, kept, gone).astype(int), prepend=0))
        first.append(edges[1] - edges[0])
    shares = [(11 - k) * (10 - k) / 2 / 165 for k in range(1, 10)]
    assert sum(shares) == pytest.approx(1)
    assert chi_square(np.bincount(first, minlength=10)[1:10], shares) < bound(8) and max(first) <= 9
