"""Numbers as a page writes them: counts, shares, probabilities, bytes and durations."""

from typing import Any


def grouped(n: float) -> str:
    """A whole number in groups of three digits."""
    return f"{n:,.0f}"


def short(n: float) -> str:
    """A count with at most three digits and k, M, B (a billion) or T."""
    for unit, size in (("T", 1e12), ("B", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size * 0.9995:
            return f"{n / size:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{n:.0f}"


def percent(share: float) -> str:
    """A share as people read it: a number and its sign stay on one line."""
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def probability(p: Any) -> float:
    """A probability with as many digits as anybody reads."""
    return float(f"{float(p):.5g}")


def gigabytes(n: float) -> str:
    """Bytes as gigabytes."""
    return f"{n / 2**30:.2f}\N{NO-BREAK SPACE}GB"


def size_of(n: int) -> str:
    """Bytes of a file, in the unit in which they are a number of at most three digits."""
    for unit, size in (("MB", 10**6), ("kB", 10**3)):
        if n >= size:
            return f"{n / size:,.1f}\N{NO-BREAK SPACE}{unit}"
    return f"{n}\N{NO-BREAK SPACE}B"


def clock(seconds: float) -> str:
    """Minutes and seconds, or hours where there are some."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
