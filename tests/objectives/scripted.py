"""What the objectives' tests share: two vocabularies, dice that fall as they are told, and how far counts may stray."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from lab.noise import Dice
from lab.vocabulary import SPECIALS, Vocabulary

SIX = Vocabulary(size=12, specials={name: number for number, name in enumerate(SPECIALS)})  # words are 6 to 11
LARGE = Vocabulary(size=1006, specials=SIX.specials)  # words are 6 to 1005


class Scripted(Dice):
    """Dice that give the numbers of a script, in order; ``one`` has a script of its own."""

    def __init__(self, *draws: Sequence[float], ones: Sequence[float] = ()) -> None:
        super().__init__(0)
        self._draws, self._ones = list(draws), list(ones)

    def random(self, n: int, at: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        draw = self._draws.pop(0) if n else []
        assert len(draw) == n, f"the script has {len(draw)} numbers where {n} are drawn"
        return np.array([draw], dtype=np.float64) if at is None else np.array(draw, dtype=np.float64)[at]

    def one(self) -> float:
        return self._ones.pop(0)

    @property
    def left(self) -> int:
        """How many draws of the script nobody has asked for."""
        return len(self._draws) + len(self._ones)


class Visiting(Dice):
    """Dice by which every row visits these places first, in this order; all else is left to chance."""

    def __init__(self, seed: int, rows: int, places: Sequence[int]) -> None:
        super().__init__(seed, np.arange(rows))
        self._places: Sequence[int] | None = places

    def random(self, n: int, at: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        drawn = super().random(n, at)
        if n > 1 and at is None and self._places is not None:
            drawn[:, self._places] = np.arange(len(self._places)) - len(self._places)
            self._places = None
        return drawn


def chi_square(found: NDArray[np.int64], shares: Sequence[float] | NDArray[np.float64]) -> float:
    """How far counts are from their shares."""
    expected = np.asarray(shares) * found.sum()
    return float(((found - expected) ** 2 / expected).sum())


def bound(degrees: int) -> float:
    """What a chi-square of so many degrees stays below in 999 of 1000 cases (Wilson and Hilferty 1931)."""
    return float(degrees * (1 - 2 / (9 * degrees) + 3.09 * sqrt(2 / (9 * degrees))) ** 3)
