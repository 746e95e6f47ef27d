"""Numbers as a page writes them: counts, shares, probabilities, bytes, operations and durations."""

from collections.abc import Sequence
from typing import Any


def grouped(n: float) -> str:
    """A whole number in groups of three digits."""
    return f"{n:,.0f}"


def short(n: float) -> str:
    """A count with at most three digits and K, M, B (a billion) or T, written as on model cards: 110M."""
    return _scaled(n, ("K", "M", "B", "T")).replace("\N{NO-BREAK SPACE}", "")


def size_of(n: float) -> str:
    """Bytes with at most three digits and their unit: 1,000 of them are a kB."""
    return _scaled(n, ("kB", "MB", "GB", "TB"), "\N{NO-BREAK SPACE}B")


def operations(n: float) -> str:
    """Floating-point operations with at most three digits and their unit."""
    return _scaled(n, ("kFLOP", "MFLOP", "GFLOP", "TFLOP"), "\N{NO-BREAK SPACE}FLOP")


def _scaled(n: float, units: Sequence[str], alone: str = "") -> str:
    for power, unit in reversed([*enumerate(units, 1)]):
        if n >= 1000**power * 0.9995:
            return f"{n / 1000**power:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{n:.0f}{alone}"


def percent(share: float) -> str:
    """A share as people read it: a number and its sign stay on one line."""
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def likely(share: float) -> str:
    """A probability as people read it: one that is not 0 does not seem to be."""
    return f"<\N{NO-BREAK SPACE}{percent(0.001)}" if 0 < share < 0.001 else percent(share)


def nats(loss: float) -> str:
    """A loss as people compare it: one that is not 0 does not seem to be."""
    return "<\N{NO-BREAK SPACE}0.001" if 0 < loss < 0.0005 else f"{loss:.3f}"


def probability(p: Any) -> float:
    """A probability with as many digits as anybody reads."""
    return float(f"{float(p):.5g}")


def clock(seconds: float) -> str:
    """Minutes and seconds, or hours where there are some."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
