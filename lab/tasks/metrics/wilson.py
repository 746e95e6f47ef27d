"""Wilson interval: how far a share of right answers would swing, had the examples been others of the same kind (Wilson
1927). Unlike a bootstrap it has a width where all answers are right, or none."""

import math

SURE = 1.96  # standard errors to either side that hold 95 % of a normal distribution


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of so many examples, as if each were drawn by itself."""
    n = max(count, 1)
    middle = share + SURE**2 / (2 * n)
    half = SURE * math.sqrt(share * (1 - share) / n + SURE**2 / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + SURE**2 / n) for sign in (-1, 1))
    return max(low, 0.0), min(high, 1.0)  # which rounding may miss
