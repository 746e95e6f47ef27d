"""The budget and the learning rate schedule (scheduler): how long a run learns, and how fast at each step.

The learning rate rises over the warm-up, when the first gradients are large and all alike, and then falls: in a line,
along a cosine, or not at all. It is a share of the run's highest learning rate, told by how much of the run is over.

A budget in steps is counted, and its numbers are the same wherever it runs. A budget in seconds is kept by the clock
to its end: a machine that grows busy does fewer steps, and the learning rate still comes down in time.
"""

import math
from typing import Any

from lab.runs.run import Training

WARMING = 2  # steps that are slower than all others, and say nothing about the pace
LATELY = 0.2  # the weight of the newest step in the pace
EARLY = (1, 2, 4, 8, 16, 32)  # seconds at which one looks at a run that the clock ends
CHECKS = 0.08  # of a run that the clock ends, at most so much goes to its checks, those of its first seconds apart
LAST = 1e-3  # the share of the learning rate at the last step, which is to learn something, too
CERTAIN = (6, 1.5)  # steps and seconds before it is said how many steps there will be


class Budget:
    """The plan of one run, and how far it is: told after every step how long it took."""

    def __init__(self, plan: Training) -> None:
        self.plan = plan
        self.step = 0
        self.seconds = 0.0
        self._most = plan.steps  # steps, None where the clock decides
        self._pace = 0.0  # seconds a step takes lately
        self._begun = 0.0  # how far the run was before its first step: it has looked at what has learnt nothing
        self._before = self._now = 0.0  # how far the run was after the last but one step, and after the last
        self._asked = 0.0  # seconds up to which it was asked whether to look
        self._looking = 0.0  # seconds that all looks took
        self._look = 0.0  # and the last one

    def once(self, steps: int) -> None:
        """There is nothing left to learn after ``steps`` steps."""
        self._most = min(self._most or steps, steps)

    def count(self, seconds: float) -> None:
        """Take note of a step that took ``seconds``."""
        if not self.step:
            self._begun = self.progress
        self.step += 1
        self.seconds += seconds
        self._before, self._now = self._now, self.progress
        if self.step > WARMING:
            self._pace += (seconds - self._pace) * (LATELY if self._pace else 1.0)

    def spend(self, seconds: float) -> None:
        """Take note of seconds that went to something else than learning, as to a save."""
        self.seconds += seconds

    def looked(self, seconds: float) -> None:
        """Take note of a check that took ``seconds``."""
        self._looking, self._look = self._looking + seconds, seconds
        self.spend(seconds)

    @property
    def progress(self) -> float:
        """How much of the budget is spent: from 0 to 1."""
        counted = self.step / self._most if self._most else 0.0
        return min(1.0, max(counted, self.seconds / self.plan.seconds if self.plan.seconds else 0.0))

    @property
    def whole(self) -> float:
        """How many seconds the run will take, as far as it is known: infinity before a run of steps has made one."""
        return self.plan.seconds or (self.seconds / self.progress if self.progress else math.inf)

    @property
    def total(self) -> int | None:
        """How many steps there will be: exactly where they are counted, as the pace has it where the clock decides,
        and None before there is one."""
        if self.plan.seconds is None or self.spent:
            return self._most if self.plan.seconds is None else self.step
        if self.step < CERTAIN[0] or self.seconds < min(CERTAIN[1], self.plan.seconds / 4):
            return None
        by_clock = self.step + math.ceil((self.plan.seconds - self.seconds) / max(self._pace, 1e-9))
        return min(by_clock, self._most or by_clock)

    @property
    def spent(self) -> bool:
        """Whether the run is over."""
        return self.progress >= 1.0

    def passed(self, parts: int) -> bool:
        """Whether the last step went beyond another of so many equal parts of the run."""
        return int(self._now * parts + 1e-9) > int(self._before * parts + 1e-9)

    def doubled(self) -> bool:
        """Whether one should look, because the run has just become twice as old: a class sees it learn from the first
        second on. Never in a run whose steps are counted: its metrics log says the same wherever it runs."""
        before, self._asked = self._asked, self.seconds
        return self.plan.seconds is not None and any(before < mark <= self.seconds for mark in EARLY)

    @property
    def affords_a_look(self) -> bool:
        """Whether there is time for one more check: always where steps are counted, and at the end of the run."""
        affordable = self._looking + self._look <= CHECKS * self.seconds
        return self.plan.seconds is None or affordable or self.spent

    @property
    def share(self) -> float:
        """The share of the learning rate at the next step. The warm-up begins with the first step, however long one
        looked before."""
        ahead, plan = 1 / self._most if self._most else self._pace / (self.plan.seconds or 1), self.plan
        begun = self._begun if self.step else self.progress
        learnt = (min(1.0, self.progress + ahead) - begun) / (1 - begun) if begun < 1 else 1.0
        return schedule(learnt, plan.warmup, self.step + 1, plan.schedule, plan.floor)

    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps of the plan."""
        told = {"pace": self._pace, "reached": self._now, "seconds": self.seconds, "looking": self._looking}
        return told | {"begun": self._begun}

    def restore(self, step: int, facts: dict[str, Any]) -> None:
        """Take up the plan that a checkpoint kept."""
        self.step, self.seconds = step, facts["seconds"]
        self._asked, self._looking = self.seconds, facts.get("looking", 0.0)
        self._begun = facts.get("begun", 0.0)
        self._pace, self._now = facts.get("pace", self.seconds / max(step, 1)), facts.get("reached", self.progress)


def schedule(progress: float, warmup: float, step: int, kind: str = "linear", floor: float = 0.0) -> float:
    """The share of the learning rate at ``progress`` in (0, 1]: up in a line, then down as its ``kind`` says, to
    ``floor``.

    "inverse_sqrt" does not rise: the rate is held as long as others warm up, but for one step at least, then falls with
    the root of the step (Raffel et al. 2019, section 3.1.2). Before a clock has shown how long a step is, progress is 0
    and the rate climbs by the step, counted from 1.
    """
    if not progress:
        return min(1.0, step / 20)
    if kind == "inverse_sqrt":
        held = max(warmup, progress / step)
        return max(min(1.0, math.sqrt(held / progress)), floor)
    rising = progress / warmup if warmup else 1.0
    left = (1 - progress) / (1 - warmup)
    falling = {"linear": left + LAST, "cosine": (1 + math.cos(math.pi * (1 - left))) / 2, "constant": 1.0}[kind]
    return min(rising, max(floor + (1 - floor) * falling, LAST), 1.0)
