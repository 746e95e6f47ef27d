"""The data loader of fine-tuning: labelled texts, encoded once; batch number n is a pure function of the run and n."""

from collections.abc import Iterator, Sequence

import numpy as np

from lab.batch import Batch, Document, collate
from lab.catalog import OBJECTIVES, TASKS
from lab.data.rows import ALL, Share, shared, shuffled
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer


class LabelledBatches:
    """The batches of a fine-tuning run: labelled texts, encoded once."""

    def __init__(self, run: Run, documents: Sequence[Document], tokenizer: Tokenizer, visible: str) -> None:
        self.run = run
        self.vocabulary = tokenizer.vocabulary
        self._task = TASKS[run.task or "classify"]
        self._settings = self._task.settings()
        self._context: int = run.settings_of("model").context
        self._visible, self._frame = visible, OBJECTIVES[run.objective].frame
        if not documents or any(document.label is None for document in documents):
            raise SettingsError(
                "there are too few texts with labels: give at least two",
                "带标签的文本太少：请至少提供两条",
            )
        self._ids = tokenizer.encode_all([document.text for document in documents])
        self.labels = np.array([document.label for document in documents], dtype=np.int64)

    @property
    def rows(self) -> int:
        """How many rows one epoch has."""
        return len(self._ids)

    def batch(self, step: int, size: int, *, share: Share = ALL) -> Batch:
        """The batch of one training step, or a ``share`` of its rows."""
        epochs, order = np.divmod(shared(np.arange(step * size, (step + 1) * size), share), self.rows)
        return self._rows([shuffled(self.run.seed, int(e), self.rows)[o] for e, o in zip(epochs, order, strict=True)])

    def validation(self, limit: int = 512, size: int = 64) -> Iterator[Batch]:
        """The first ``limit`` texts, in order."""
        for start in range(0, min(limit, self.rows), size):
            yield self._rows(range(start, min(start + size, limit, self.rows)))

    def _rows(self, numbers: Sequence[int]) -> Batch:
        texts = [self._ids[number] for number in numbers]
        exercise, real = self._task.build(
            texts, self._settings, self.vocabulary, self._context, self._visible, self._frame
        )
        return collate(exercise, real, self.labels[list(numbers)])
