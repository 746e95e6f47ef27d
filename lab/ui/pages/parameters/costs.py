"""What two models cost beside each other: counted at once, and measured in turns when a visitor asks."""

import shlex
import statistics
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lab.analysis.cost import ROOM, Cost, example, example_cost, kept_per_token, optimizer_state
from lab.analysis.count import count, tensors
from lab.analysis.ledger import BYTES
from lab.analysis.measure import Step
from lab.catalog import MODELS
from lab.entries import Masking
from lab.runs.run import Run
from lab.serve.in_turns import in_turns
from lab.serve.limits import bearable, limits
from lab.settings import SettingsError
from lab.training.run_request import flag
from lab.ui.shell.figures import operations, percent, size_of
from lab.ui.words import complaint, pair, say

ROWS, LENGTH = 8, 128  # of the step that is counted and measured
SECONDS, PATIENCE = 20.0, 90.0  # of all steps together; for one of them
_measuring = threading.Lock()  # one at a time: two would slow each other down


@dataclass(frozen=True)
class Side:
    """One of the two models."""

    name: str  # a published name, or "" for own sizes
    model: str
    shape: dict[str, Any]
    vocabulary: int

    @property
    def command(self) -> str:
        """The command that counts it."""
        if self.name:
            return f"python -m lab params {shlex.quote(self.name)}"
        words = []
        for name, size in self.shape.items():
            if size is not None:
                words += [flag("model", name)] if size is True else [flag("model", name), str(size)]
        return f"python -m lab params --model {self.model} {' '.join(words)} --vocab {self.vocabulary}"

    @property
    def title(self) -> dict[str, str]:
        """The family's name, with that of the published model behind it."""
        entry = MODELS[self.model]
        titles = entry.title, entry.title_zh
        return pair(*(f"{title} ({self.name})" if self.name else title for title in titles))

    @property
    def example(self) -> Run:
        """The run whose step is counted and measured."""
        return example(self.model, self.shape, LENGTH, ROWS)

    @property
    def parameters(self) -> int:
        """All of them, with those of every position that the model has."""
        return int(count(self.model, self.shape, self.vocabulary)["params"]["with_pretraining_heads"])

    @property
    def optimizer(self) -> int:
        """The bytes that the optimizer of that step keeps beside them."""
        return optimizer_state(self.example.plan.optimizer, self.model, self.shape, self.vocabulary)

    @property
    def cost(self) -> Cost:
        """That step. Raises SettingsError where the model alone cannot take it, as a discriminator."""
        return example_cost(self.model, self.shape, self.vocabulary, LENGTH, ROWS)


def compared(models: Sequence[Side], seen: Sequence[Sequence[Step]] = ((), ())) -> dict[str, Any]:
    """The table of costs; ``seen`` are the measured steps of each model."""
    costs = [_asked(side)[0] for side in models]
    kept = [kept_per_token(side.example, side.vocabulary) for side in models]
    rows = [
        ("weights", [size_of(BYTES * side.parameters) for side in models]),
        ("optimizer", [size_of(side.optimizer) for side in models]),
        ("activations", [_known(cost.activations if cost else None) for cost in costs]),
        ("training", [_known(cost.training if cost else None) for cost in costs]),
        ("forward", [_operations(cost.forward / cost.tokens if cost else 0.0) for cost in costs]),
        ("backward", [_operations(cost.backward / cost.tokens if cost else 0.0) for cost in costs]),
        ("cache", [_known(side) for side in kept]),
    ]
    if any(seen):
        rows.append(("step", [_timed(side) if side else "–" for side in seen]))
        rows.append(("memory", [_known(side[-1].memory if side else None) for side in seen]))
    return {
        "columns": [say("parameters.cost.what", rows=ROWS, length=LENGTH), *(side.title for side in models)],
        "rows": [[say(f"parameters.cost.{name}"), *cells] for name, cells in rows],
    }


def remarks(models: Sequence[Side]) -> list[list[Any]]:
    """Why a model takes no step, where it is so; how the rows go together, and what is worked out of a step."""
    why = {error.en: ["note", complaint(error)] for _, error in map(_asked, models) if error}
    return [*why.values(), ["note", say("parameters.cost.note", room=f"{ROOM:g}", asked=percent(Masking().share))]]


def verdict(models: Sequence[Side], seen: Sequence[Sequence[Step]]) -> dict[str, Any]:
    """One sentence on what was measured: what fewer parameters save, and what they do not; each turn compares anew."""
    ratios = sorted(100 * right.seconds / left.seconds for left, right in zip(*seen, strict=True))
    names = {"left": models[0].title, "right": models[1].title}
    fewer = models[1].parameters / models[0].parameters
    shown = {"time": statistics.median(ratios), "low": ratios[0], "high": ratios[-1]}
    data = {name: f"{ratio:.0f}" for name, ratio in shown.items()}
    return say("parameters.cost.told", **names, weights=f"{100 * fewer:.0f}", turns=len(ratios), **data)


def measured(models: Sequence[Side]) -> list[list[Step]]:
    """Steps of both models, taken in turns now; nothing is kept for anybody else. Raises SettingsError where one is too
    large for this place, or another visitor is measuring."""
    for side in models:
        bearable(side.example, side.vocabulary)
    if not _measuring.acquire(blocking=False):
        raise SettingsError("somebody is measuring just now: try again in a minute", "有人正在测量：请一分钟后再试")
    try:
        return in_turns([(side.example, side.vocabulary) for side in models], limits().threads, SECONDS, PATIENCE)
    finally:
        _measuring.release()


def _asked(side: Side) -> tuple[Cost | None, SettingsError | None]:
    """The cost of a model's step, or why it takes none."""
    try:
        return side.cost, None
    except SettingsError as error:
        return None, error


def _timed(steps: Sequence[Step]) -> str:
    """The median of the steps and the range of all of them."""
    times = sorted(1000 * step.seconds for step in steps)
    return f"{statistics.median(times):,.0f}\N{NO-BREAK SPACE}ms ({times[0]:,.0f}–{times[-1]:,.0f})"


def areas(models: Sequence[Side]) -> dict[str, Any]:
    """Every tensor of both models, for the map of areas."""
    return {
        "models": [
            {
                "name": side.title,
                "file": side.name.replace("/", "-") or side.model,
                "tensors": [
                    [fact.name, list(fact.shape), fact.part, fact.count]
                    for fact in tensors(side.model, side.shape, side.vocabulary)
                ],
            }
            for side in models
        ]
    }


def _known(n: float | None) -> str:
    """The bytes, or a dash where they are not known."""
    return "–" if n is None else size_of(n)


def _operations(n: float) -> str:
    """The operations, or a dash for a model without matrix products."""
    return operations(n) if n else "–"
