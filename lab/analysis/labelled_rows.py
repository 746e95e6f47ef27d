"""How long and how many the rows are that a task makes of labelled texts: seen from the first few of these.

Texts are seldom as long as a model's context, and a batch is padded to the longest of its own: what a step of
fine-tuning costs is told by the texts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from lab.data.labelled_batches import LabelledBatches
from lab.examples import Examples
from lab.runs.run import Run
from lab.runs.tuning import SHORTEST
from lab.tokenizer import Tokenizer


@dataclass(frozen=True)
class LabelledRows:
    """What a run reads of labelled texts: means over the batches of the first few examples."""

    each: float = 1.0  # rows of an example that are learnt from, of a long text several
    length: int | None = None  # tokens of the rows of a batch; None where no example was looked at
    tokens: float = 0.0  # of a batch, all of its rows padded to the longest

    def shortened(self, run: Run) -> Run:
        """The run, told to read no more at once than its texts have."""
        if self.length is None:
            return run
        return replace(run, tuning_settings={**run.tuning_settings, "length": max(SHORTEST, self.length)})


UNREAD = LabelledRows()  # of texts at which nobody has looked


def labelled_rows(run: Run, tokenizer: Tokenizer, first: Examples) -> LabelledRows:
    """What the run's task makes of the ``first`` examples."""
    if not first.examples:
        return UNREAD
    feed, size = LabelledBatches(run, first.examples, tokenizer, first.labels), run.plan.batch
    batches = [feed.batch(number, size) for number in range(math.ceil(feed.rows / size))]
    read = [[rows.shape for rows in (batch.shown, batch.source) if rows is not None] for batch in batches]
    return LabelledRows(
        each=feed.rows / len(first.examples),
        length=round(fmean(max(length for _, length in shapes) for shapes in read)),
        tokens=fmean(_cells(shapes) for shapes in read),
    )


def _cells(shapes: Sequence[Sequence[int]]) -> int:
    return sum(rows * length for rows, length in shapes)
