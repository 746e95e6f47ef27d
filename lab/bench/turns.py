"""Two arms by turns, ours, peer, peer, ours, and what their losses allow their times to say.

A ratio is given only where both do the same work: equal loss before training, and close loss after it.
"""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar


class Lost(Protocol):
    """What an arm reports of its losses, in nats."""

    @property
    def start_loss(self) -> float: ...
    @property
    def end_loss(self) -> float: ...


Timed = TypeVar("Timed", bound=Lost)


def turns(pairs: int) -> Iterator[tuple[int, str]]:
    """The number of each pair, and whose turn it is: whatever warms a machine up serves both."""
    for number in range(pairs):
        yield from ((number, arm) for arm in (("ours", "peer") if number % 2 == 0 else ("peer", "ours")))


@dataclass(frozen=True)
class Verdict:
    """What the arms came to."""

    start: Mapping[str, float]  # the mean losses
    end: Mapping[str, float]
    ratios: Sequence[float]  # the peer's time over ours, of each pair, the least first
    tolerance: tuple[float, float]  # nats, before and after training

    @property
    def apart(self) -> tuple[float, float]:
        """By how much the losses differ."""
        return abs(self.start["ours"] - self.start["peer"]), abs(self.end["ours"] - self.end["peer"])

    @property
    def agree(self) -> bool:
        """Whether the times may be held against each other."""
        return all(apart <= most for apart, most in zip(self.apart, self.tolerance, strict=True))

    def document(self) -> dict[str, Any]:
        """Its part of a benchmark's document."""
        return {
            "ratio": round(statistics.median(self.ratios), 3) if self.agree else None,
            "ratios": [round(ratio, 3) for ratio in self.ratios] if self.agree else [],
            "start_loss": self.start,
            "end_loss": self.end,
            "agree": self.agree,
        }

    def line(self) -> str:
        """The ratio in words, or why there is none."""
        if not self.agree:
            return "the losses do not agree, so the speeds say nothing: no ratio"
        spread = f"{self.ratios[0]:.2f} to {self.ratios[-1]:.2f} over {len(self.ratios)} pairs"
        return f"ours is {statistics.median(self.ratios):.2f} times as fast ({spread})"


def verdict(
    arms: Mapping[str, Sequence[Timed]], seconds: Callable[[Timed], float], tolerance: tuple[float, float]
) -> Verdict:
    """The verdict on both arms, whose times ``seconds`` reads."""
    return Verdict(
        start={arm: statistics.mean(timed.start_loss for timed in timings) for arm, timings in arms.items()},
        end={arm: statistics.mean(timed.end_loss for timed in timings) for arm, timings in arms.items()},
        ratios=sorted(seconds(peer) / seconds(ours) for ours, peer in zip(arms["ours"], arms["peer"], strict=True)),
        tolerance=tolerance,
    )
