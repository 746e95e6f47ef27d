"""A batch of units: their exercises below one another, padded, with what is asked about them.

B rows   T tokens   U units
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from lab.batch import Batch, Exercise, Output, collate
from lab.entries import Scores, TaskEntry
from lab.examples import Unit
from lab.vocabulary import Vocabulary

UNASKED = -100  # the class that the loss does not count


def batch_of(units: Sequence[Unit], task: TaskEntry, vocabulary: Vocabulary) -> Batch:
    """The units as one batch, with those of their labels that the task asks for."""
    exercise = stacked([unit.exercise for unit in units], vocabulary.pad)
    batch, asked = collate(exercise), {*task.holds}
    if "choices" in asked:
        rows = np.repeat(np.arange(len(units)), [len(unit.exercise.shown) for unit in units])
        batch = replace(batch, unit=torch.from_numpy(rows))
    if "label" in asked:
        batch = replace(batch, label=torch.tensor([unit.label for unit in units]))
    if "value" in asked:
        batch = replace(batch, value=torch.tensor([unit.value for unit in units], dtype=torch.float32))
    if "tags" in asked:
        tags = [unit.tags for unit in units if unit.tags is not None]
        batch = replace(batch, tags=torch.from_numpy(_padded(tags, UNASKED, exercise.shown.shape[1])))
    if "answers" in asked:
        batch = replace(batch, answer=torch.tensor([unit.answer for unit in units]))
    return batch


def scores_of(units: Sequence[Unit], output: Output, task: TaskEntry) -> list[Scores]:
    """What the task's head answers to a batch of these units, unit by unit: a row of scores for each row of one, or
    for each of its tokens."""
    told = output.sequence if task.head == "sequence" else output.each
    assert told is not None
    table = told.float().cpu().numpy()
    if task.head == "each":  # such a unit is one row
        return [*table]
    return np.split(table, np.cumsum([len(unit.exercise.shown) for unit in units])[:-1])


def stacked(exercises: Sequence[Exercise], pad: int) -> Exercise:
    """Exercises below one another, as one that is padded to the longest. All are of one kind."""
    first = exercises[0]
    width = max(exercise.shown.shape[1] for exercise in exercises)
    rows = [
        np.ones(exercise.shown.shape, dtype=bool) if exercise.real is None else exercise.real for exercise in exercises
    ]

    def table(name: str, filler: int, wide: int = width) -> NDArray[np.int64] | None:
        parts = [getattr(exercise, name) for exercise in exercises]
        return None if parts[0] is None else _padded([row for part in parts for row in part], filler, wide)

    source = 0 if first.source is None else max(e.source.shape[1] for e in exercises if e.source is not None)
    sources = [np.ones(exercise.source.shape, dtype=bool) for exercise in exercises if exercise.source is not None]
    shown, answers = table("shown", pad), table("answers", pad)
    assert shown is not None and answers is not None
    return Exercise(
        shown=shown,
        asked=_padded([row for exercise in exercises for row in exercise.asked], 0, width).astype(bool),
        answers=answers,
        following=first.following,
        visible=first.visible if isinstance(first.visible, str) else _tables(exercises, width),
        segments=table("segments", 0),
        real=_padded([row for exercise in rows for row in exercise], 0, width).astype(bool),
        positions=table("positions", 0),
        source=table("source", pad, source),
        source_real=_padded([r for exercise in sources for r in exercise], 0, source).astype(bool) if sources else None,
    )


def _padded(rows: Sequence[NDArray[np.int64]], filler: int, width: int) -> NDArray[np.int64]:
    """Rows (T, ...) of different lengths as one table (B, width, ...)."""
    full = np.full((len(rows), width, *rows[0].shape[1:]), filler, dtype=np.int64)
    for number, row in enumerate(rows):
        full[number, : len(row)] = row
    return full


def _tables(exercises: Sequence[Exercise], width: int) -> NDArray[np.bool_]:
    """The tables of who may look at whom, (B, T, T)."""
    tables = [
        table
        for each in exercises
        for table in np.broadcast_to(each.table(), (len(each.shown), *each.table().shape[-2:]))
    ]
    full = np.zeros((len(tables), width, width), dtype=bool)
    for number, table in enumerate(tables):
        full[number, : len(table), : len(table)] = table
    return full
