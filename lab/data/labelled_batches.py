"""The data loader of fine-tuning: examples, encoded once; batch number n is a pure function of the run and n."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

from lab.batch import Batch, Document
from lab.catalog import TASKS
from lab.data.class_weights import class_weights
from lab.data.first_guess import first_guess
from lab.data.length_groups import Ids, grouped
from lab.data.reading import as_examples, reader_of, too_few
from lab.data.rows import ALL, Share, shared, shuffled
from lab.examples import Example, Unit
from lab.runs.run import Run
from lab.tasks.parts.batching import batch_of
from lab.tokenizer import Tokenizer

LEAST, CHECKED = 64, 512  # examples of a check


@dataclass(frozen=True)
class Judged:
    """Some examples, the units of each, and all of these as one batch."""

    examples: Sequence[Example]
    units: Sequence[Sequence[Unit]]
    batch: Batch


def examples_of_a_check(run: Run) -> int:
    """Of how many examples a run is asked while it learns. All checks together take about as long as the steps, which
    go back as well as forward and so do three times as much; where a check may end the run, chance must not."""
    tuning, plan = run.tuning, run.plan
    if plan.steps is None or tuning.patience:  # who learns by the clock looks less often where it takes long
        return CHECKED
    return min(CHECKED, max(LEAST, 3 * plan.steps * plan.batch // tuning.looks))


class LabelledBatches:
    """The batches of a fine-tuning run: what its task makes of examples, of a long text several units."""

    def __init__(
        self, run: Run, examples: Sequence[Example | Document], tokenizer: Tokenizer, labels: Sequence[str] = ()
    ) -> None:
        self.run = run
        self.vocabulary = tokenizer.vocabulary
        self.task = TASKS[run.task or "classify"]
        self.examples, self.labels = as_examples(examples), tuple(labels)
        self.settings = run.settings_of("task") if run.task else self.task.settings()
        if not self.examples or (
            "label" in self.task.holds and any(example.label is None for example in self.examples)
        ):
            raise too_few()
        texts = (
            [] if self.task.several else [*dict.fromkeys(text for example in self.examples for text in _texts(example))]
        )
        self.reader = reader_of(run, tokenizer, dict(zip(texts, tokenizer.encode_all(texts), strict=True)))
        tuning = run.tuning
        self.class_weights = class_weights(self.examples, len(self.labels)) if tuning.class_weights else None
        # Where each example is one unit, it is made when it is needed; else one must know how many there are.
        whole = self.task.several or tuning.group_by_length
        self._units = [unit for example in self.examples for unit in self._learnt(example)] if whole else None
        self._lengths = [_length(unit) for unit in self._units or ()] if tuning.group_by_length else None
        self._order = lru_cache(maxsize=4)(self._epoch)
        self._checked = list[list[Unit]]()  # of the first examples, which every check asks about

    @property
    def first_guess(self) -> NDArray[np.float32] | None:
        """The bias that a new head of the run's model begins with; None where it begins with none."""
        weighted = self.class_weights is not None
        return first_guess(self.task, self.examples, len(self.labels), weighted=weighted)

    @property
    def rows(self) -> int:
        """How many units one epoch has."""
        return len(self.examples) if self._units is None else len(self._units)

    def batch(self, step: int, size: int, *, share: Share = ALL, progress: float = 1.0) -> Batch:
        """The batch of one training step, or a ``share`` of its rows; the same whatever the ``progress`` of the run."""
        epochs, order = np.divmod(shared(np.arange(step * size, (step + 1) * size), share), self.rows)
        numbers = [self._order(int(e), size)[o] for e, o in zip(epochs, order, strict=True)]
        if self._units is not None:
            batch = self._together([self._units[number] for number in numbers])
        else:
            batch = self._together([unit for number in numbers for unit in self._made(self.examples[number])])
        weights = self.class_weights
        return batch if weights is None else replace(batch, class_weights=torch.from_numpy(weights))

    def _epoch(self, epoch: int, size: int) -> Ids:
        """In which order an epoch reads its rows: (rows,)."""
        order = shuffled(self.run.seed, epoch, self.rows)
        if self._lengths is None:
            return order
        return grouped(order, self._lengths, size, (self.run.seed, epoch), first=-epoch * self.rows % size)

    def validation(self, limit: int = CHECKED, size: int = 64) -> Iterator[Batch]:
        """The first ``limit`` examples, in order."""
        for judged in self.judged(limit, size):
            yield judged.batch

    def judged(self, limit: int = CHECKED, size: int = 64) -> Iterator[Judged]:
        """The same, each example with all of its units; about ``size`` of these at once."""
        some, units = list[Example](), list[list[Unit]]()
        for number, example in enumerate(self.examples[:limit]):
            if number == len(self._checked) < CHECKED:
                self._checked.append(self._made(example))
            some.append(example)
            units.append(self._checked[number] if number < CHECKED else self._made(example))
            if sum(map(len, units)) >= size:
                yield Judged(some, units, self._together([unit for own in units for unit in own]))
                some, units = [], []
        if some:
            yield Judged(some, units, self._together([unit for own in units for unit in own]))

    def _made(self, example: Example) -> list[Unit]:
        units: list[Unit] = self.task.build(example, self.settings, self.reader)
        return units

    def _learnt(self, example: Example) -> Sequence[Unit]:
        """Those of an example's units that are learnt from."""
        units = self._made(example)
        return self.task.learnt(units) if self.task.learnt else units

    def _together(self, units: Sequence[Unit]) -> Batch:
        return batch_of(units, self.task, self.vocabulary)


def _length(unit: Unit) -> int:
    """How many tokens a unit has in a row, those of its source among them."""
    shown, source = unit.exercise.shown, unit.exercise.source
    return int(shown.shape[1] + (0 if source is None else source.shape[1]))


def _texts(example: Example) -> Iterator[str]:
    """All texts of an example."""
    yield from (example.text, example.pair, *example.choices, *example.targets)
