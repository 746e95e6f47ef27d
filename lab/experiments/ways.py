"""Parameter efficiency: the same start and the same labels, fine-tuned in every way, each at a learning rate that suits
it.

The rate is the one of a few at which the way scores best with a seed that does not count otherwise. That seed draws its
labels from the same examples as those that count, and is scored on the same validation examples: the choice flatters
every way a little, and none more than another, for all choose among the same rates.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lab.experiments.starts import Experiment, Outcome, Start, outcome_of

SWEPT = 1_000  # the seed of the sweep: none that counts is as high


@dataclass(frozen=True)
class Way:
    """A way to fine-tune: settings of Tuning, such as {"how": "last", "blocks": 2}."""

    name: str
    tuning: Mapping[str, Any]


@dataclass(frozen=True)
class Tried:
    """One run of a way at a learning rate. One that was ``swept`` helps to choose the rate and does not count."""

    way: str
    learning_rate: float
    swept: bool
    outcome: Outcome


def tried(
    experiment: Experiment, start: Start, ways: Sequence[Way], rates: Sequence[float], sweep: int
) -> Iterator[Tried]:
    """For each way, a run at each of the ``rates`` with ``sweep`` labels, and then, at the best of them, every seed and
    label budget of the experiment. Of rates that are equally good the smaller one counts."""
    for way in ways:
        own = replace(experiment, tuning={**experiment.tuning, **way.tuning})
        scores: dict[float, float] = {}
        for rate in sorted(rates):
            outcome = _at(own, rate, start, sweep, SWEPT)
            scores[rate] = outcome.score
            yield Tried(way.name, rate, True, outcome)
        best = max(scores, key=lambda rate: scores[rate])
        for seed in experiment.seeds:
            for budget in experiment.budgets:
                yield Tried(way.name, best, False, _at(own, best, start, budget, seed))


def _at(experiment: Experiment, rate: float, start: Start, budget: int, seed: int) -> Outcome:
    outcome = outcome_of(
        replace(experiment, training={**experiment.training, "learning_rate": rate}), start, budget, seed
    )
    assert outcome is not None
    return outcome
