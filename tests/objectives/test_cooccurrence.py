"""Co-occurrence: the counts of a small text by hand, and an exercise that shows exactly what is counted.

B rows   T tokens
"""

import numpy as np
import pytest
from scripted import LARGE, SIX

from lab.noise import Dice
from lab.objectives.cooccurrence import Cooccurrence, asking, cooccurrence, count_cooccurrences

TEXT = [6, 7, 6, 5, 8, 1, 7]  # 5 ends a document; 1 is an unknown word


def table(ids: list[int], reach: int) -> dict[tuple[int, int], float]:
    found = count_cooccurrences(np.array(ids, dtype=np.uint16), Cooccurrence(reach=reach), SIX)
    assert (np.diff(found.keys) > 0).all()
    return {divmod(int(key), SIX.size): float(times) for key, times in zip(found.keys, found.times, strict=True)}


def test_a_small_text_by_hand() -> None:
    """The two 6 meet at a distance of 2, and each counts the other; nothing meets beyond the end of its document."""
    assert table(TEXT, 2) == {(6, 7): 2, (7, 6): 2, (6, 6): 1, (7, 8): 0.5, (8, 7): 0.5}
    assert table(TEXT, 1) == {(6, 7): 2, (7, 6): 2}
    assert table([6], 3) == table([], 3) == {}


def test_many_ids_do_not_overflow_their_small_type() -> None:
    ids = np.tile(np.array([1004, 1005], dtype=np.uint16), 50)
    found = count_cooccurrences(ids, Cooccurrence(reach=1), LARGE)
    assert found.keys.tolist() == [1004 * 1006 + 1005, 1005 * 1006 + 1004] and found.times.tolist() == [99, 99]


@pytest.mark.parametrize("reach", [1, 2, 5])
def test_the_exercise_shows_what_is_counted(reach: int) -> None:
    exercise = cooccurrence(np.array([TEXT]), Cooccurrence(reach=reach), SIX, Dice(0))
    seen: dict[tuple[int, int], float] = {}
    for t, s in np.argwhere(exercise.table()[0]):
        pair = TEXT[t], TEXT[s]
        seen[pair] = seen.get(pair, 0) + 1 / abs(t - s)
    assert seen == pytest.approx(table(TEXT, reach))
    assert exercise.asked[0].tolist() == [any(row) for row in exercise.table()[0]]
    assert np.array_equal(exercise.answers, [TEXT]) and np.array_equal(exercise.shown, [TEXT])


def test_a_trained_model_is_asked_with_a_whole_window() -> None:
    ids = np.array([[7] * 12 + [SIX.mask] + [8] * 12])
    exercise = asking(ids, Cooccurrence(), SIX)
    assert np.flatnonzero(exercise.asked).tolist() == [12]
    assert np.flatnonzero(exercise.table()[12]).tolist() == [*range(2, 12), *range(13, 23)]
    assert np.flatnonzero(asking(ids, Cooccurrence(reach=1), SIX).table()[12]).tolist() == [11, 13]
