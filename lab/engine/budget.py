"""How long a run learns, and how fast at each step.

A budget in seconds becomes a number of steps once the first steps have shown their pace, and is counted once more
when a fifth of it is spent; from then on the plan stands, so that a run that is resumed ends as it would have.
"""

import math
from typing import Any

from lab.engine.run import Training

WARMING = 2  # steps that are slower than all others
CALIBRATION = (6, 1.5)  # steps and seconds that a first plan needs
REVISION = 0.2  # the share of the seconds after which the steps are counted once more
RESERVE = 0.92  # of the first plan: the pace of the first steps knows nothing of checks and saves
OVERRUN = 1.25  # a run given seconds ends after this multiple of them, wherever its plan is


class Budget:
    """The plan of one run. ``total`` is its number of steps, None as long as nobody can know."""

    def __init__(self, plan: Training) -> None:
        self.plan = plan
        self.total = plan.steps
        self._revised = plan.seconds is None
        self._warm = 0.0  # seconds spent when the slow first steps were over

    def once(self, steps: int) -> None:
        """There is nothing left to learn after ``steps`` steps."""
        self.total = min(self.total or steps, steps)
        self._revised = True

    def count(self, step: int, seconds: float) -> None:
        """Plan, or plan anew, now that ``step`` steps have taken ``seconds``."""
        if step == WARMING:
            self._warm = seconds
        if self._revised or self.plan.seconds is None:
            return
        steps, enough = CALIBRATION
        early = step < steps or seconds < min(enough, self.plan.seconds / 4)
        if early or (self.total is not None and seconds < REVISION * self.plan.seconds):
            return
        self._revised = self.total is not None
        pace = (seconds - self._warm) / (step - WARMING)
        left = max(self.plan.seconds - seconds, 0.0) * (1.0 if self._revised else RESERVE)
        self.total = step + math.ceil(left / pace)

    def spent(self, step: int, seconds: float) -> bool:
        """Whether the run is over."""
        over = self.plan.seconds is not None and seconds > OVERRUN * self.plan.seconds
        return over or (self.total is not None and step >= self.total)

    def share(self, step: int) -> float:
        """The share of the learning rate at ``step``, counted from 1."""
        return schedule(step / self.total if self.total else 0.0, self.plan.warmup, step)

    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps of the plan."""
        return {"total": self.total, "revised": self._revised, "warm": self._warm}

    def restore(self, facts: dict[str, Any]) -> None:
        """Take up the plan that a checkpoint kept."""
        self.total, self._revised, self._warm = facts["total"], facts["revised"], facts["warm"]


def schedule(progress: float, warmup: float, step: int) -> float:
    """The share of the learning rate at ``progress`` in (0, 1]: up in a line, then down in a line to nothing.

    Before a budget in seconds has become steps, progress is 0 and the rate climbs by the step, counted from 1.
    """
    if not progress:
        return min(1.0, step / 20)
    rising = progress / warmup if warmup else 1.0
    return min(rising, (1 - progress) / (1 - warmup) + 1e-3, 1.0)
