"""The data loader of fine-tuning: examples, encoded once; batch number n is a pure function of the run and n."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lab.batch import Batch, Document
from lab.catalog import TASKS
from lab.data.reading import as_examples, reader_of, too_few
from lab.data.rows import ALL, Share, shared, shuffled
from lab.examples import Example, Unit
from lab.runs.run import Run
from lab.tasks.parts.batching import batch_of
from lab.tokenizer import Tokenizer


@dataclass(frozen=True)
class Judged:
    """Some examples, the units of each, and all of these as one batch."""

    examples: Sequence[Example]
    units: Sequence[Sequence[Unit]]
    batch: Batch


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
        if not self.examples or ("label" in self.task.holds and any(each.label is None for each in self.examples)):
            raise too_few()
        texts = [] if self.task.several else [*dict.fromkeys(text for each in self.examples for text in _texts(each))]
        self.reader = reader_of(run, tokenizer, dict(zip(texts, tokenizer.encode_all(texts), strict=True)))
        # Where each example is one unit, it is made when it is needed; else one must know how many there are.
        self._units = [unit for each in self.examples for unit in self._made(each)] if self.task.several else None

    @property
    def rows(self) -> int:
        """How many units one epoch has."""
        return len(self.examples) if self._units is None else len(self._units)

    def batch(self, step: int, size: int, *, share: Share = ALL) -> Batch:
        """The batch of one training step, or a ``share`` of its rows."""
        epochs, order = np.divmod(shared(np.arange(step * size, (step + 1) * size), share), self.rows)
        numbers = [shuffled(self.run.seed, int(e), self.rows)[o] for e, o in zip(epochs, order, strict=True)]
        if self._units is not None:
            return self._together([self._units[number] for number in numbers])
        return self._together([unit for number in numbers for unit in self._made(self.examples[number])])

    def validation(self, limit: int = 512, size: int = 64) -> Iterator[Batch]:
        """The first ``limit`` examples, in order."""
        for judged in self.judged(limit, size):
            yield judged.batch

    def judged(self, limit: int = 512, size: int = 64) -> Iterator[Judged]:
        """The same, each example with all of its units; about ``size`` of these at once."""
        some, units = list[Example](), list[list[Unit]]()
        for example in self.examples[:limit]:
            some.append(example)
            units.append(self._made(example))
            if sum(map(len, units)) >= size:
                yield Judged(some, units, self._together([unit for each in units for unit in each]))
                some, units = [], []
        if some:
            yield Judged(some, units, self._together([unit for each in units for unit in each]))

    def _made(self, example: Example) -> list[Unit]:
        units: list[Unit] = self.task.build(example, self.settings, self.reader)
        return units

    def _together(self, units: Sequence[Unit]) -> Batch:
        return batch_of(units, self.task, self.vocabulary)


def _texts(example: Example) -> Iterator[str]:
    """All texts of an example."""
    yield from (example.text, example.pair, *example.choices, *example.targets)
