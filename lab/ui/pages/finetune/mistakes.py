"""Error analysis: the held-out examples that an arm gets wrong, or those in one cell of its confusion matrix."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from lab.data.labelled_batches import CHECKED, LabelledBatches
from lab.data.reading import parts_of
from lab.examples import Example, Prediction
from lab.runs.checkpoint import newest
from lab.runs.folder import RunFolder
from lab.tasks.metrics.classes import confusion_matrix
from lab.tasks.parts.choosing import DRAWN
from lab.training.evaluate_task import judge
from lab.ui.pages.finetune.arms import TASKS_WITH_CLASSES, called
from lab.ui.pages.finetune.asking import task_of
from lab.ui.pages.finetune.calibration import NO_DIAGRAM, NO_ERRORS, diagrams, errors
from lab.ui.pages.finetune.comparison import checked_texts, class_names, confusions
from lab.ui.pages.finetune.slots import filled
from lab.ui.pages.finetune.verdicts import Verdict, judges, verdict
from lab.ui.runs.fine_tuning import MOST, names_in
from lab.ui.runs.run_log import at_the_end, log_of
from lab.ui.shell.answers import Values
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import readable, trained
from lab.ui.words import in_language, language_now, say

KEPT = 16  # runs whose answers stay in memory
SHOWN = 50  # examples
LONGEST = 2000  # characters of one
NOTHING: dict[str, Any] = {"examples": [], "more": 0, "empty": say("finetune.wrong.none")}
NO_EXAMPLES = NOTHING | {"empty": say("finetune.wrong.wait")}

_judged = Kept(KEPT)


@dataclass(frozen=True)
class Judged:
    """What a model says of the examples that its run is checked on."""

    examples: Sequence[Example]
    said: Sequence[Prediction]


def judged(folder: RunFolder) -> Judged:
    """The same, worked out once for each state in which the run was saved."""
    state = newest(folder.path / "checkpoints")
    assert state is not None
    found: Judged = _judged.get((str(folder.path), state.name), lambda: _judge(folder))
    return found


def _judge(folder: RunFolder) -> Judged:
    """As many examples as its last check had."""
    model = trained(folder.name)
    count = checked_texts(at_the_end(folder, log_of(folder))) or CHECKED
    chosen = parts_of(folder.run, model.labels).valid[:count]
    feed = LabelledBatches(folder.run, chosen, model.tokenizer, model.labels)
    return Judged(chosen, judge(model.model, feed, model.device, limit=len(chosen))[1])


def offered(visitor: str, names: str) -> Values:
    """The arms of which the mistakes can be looked at, the first of them chosen."""
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    choices = [
        (in_language(title, language_now()), str(number)) for number, title in enumerate(called(visitor, folders))
    ]
    task = task_of(visitor, names)
    there = bool(folders) and judges(task)
    return {
        "calibrated": gr.update(visible=task.name in TASKS_WITH_CLASSES),
        "of": gr.update(choices=choices, value="0" if choices else None, visible=there),
        "examples": gr.update(value=NOTHING | {"empty": ""}, visible=there),
    }


def unfold(visitor: str, names: str, of: str | None) -> Values:
    """What an arm gets wrong, and the confusion matrices as they are counted on the very same examples: the runs that
    come with the lab may have been checked on those of an earlier version."""
    answers = wrong(visitor, names, of)
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    classes = bool(folders) and task_of(visitor, names).name in TASKS_WITH_CLASSES
    if not classes or not _ready(folders):
        return answers | {"calibration": NO_DIAGRAM, "calibration errors": NO_ERRORS}
    tables, titles = [_matrix(judged(folder), len(class_names(folder))) for folder in folders], called(visitor, folders)
    said = [(judged(folder).said, judged(folder).examples) for folder in folders]
    sure = {"calibration": diagrams(titles, said), "calibration errors": errors(titles, said)}
    return answers | filled("confusion", titles, confusions(folders, tables)) | sure


def _matrix(known: Judged, classes: int) -> list[list[int]] | None:
    """How often each class was taken for which, of few classes."""
    if classes > DRAWN:
        return None
    counted: list[list[int]] = confusion_matrix(
        [example.label or 0 for example in known.examples], [said.label for said in known.said], classes
    ).tolist()
    return counted


def _ready(folders: Sequence[RunFolder]) -> bool:
    """Whether the arms have finished."""
    return all(folder.status() == "finished" for folder in folders)


def wrong(visitor: str, names: str, of: str | None) -> Values:
    """The examples that an arm gets wrong."""
    return _shown(visitor, names, of, lambda example, said, right: not right, None)


def cell(visitor: str, names: str, of: str, row: Any, column: Any) -> Values:
    """Those of one true class that an arm took for another, or rightly for the same."""
    if not isinstance(row, int) or not isinstance(column, int):
        return {}

    def inside(example: Example, said: Prediction, right: bool) -> bool:
        return (example.label, said.label) == (row, column)

    return _shown(visitor, names, of, inside, (row, column))


def _shown(
    visitor: str,
    names: str,
    of: str | None,
    fits: Callable[[Example, Prediction, bool], bool],
    classes: tuple[int, int] | None,
) -> Values:
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    if of not in {str(number) for number in range(len(folders))}:
        return {"examples": NOTHING | {"empty": ""}}
    folder, task = folders[int(of)], task_of(visitor, names)
    if not judges(task):
        return {"examples": NOTHING | {"empty": ""}}
    if not _ready([folder]):
        return {"examples": NO_EXAMPLES}
    known, labels = judged(folder), class_names(folder)
    verdicts = [verdict(task, *pair, labels) for pair in zip(known.examples, known.said, strict=True)]
    every = zip(known.examples, known.said, verdicts, strict=True)
    rows = [(example, found) for example, said, found in every if fits(example, said, found.right)]
    counted = {"n": len(rows), "of": len(known.said), "arm": called(visitor, folders)[int(of)]}
    title = say("finetune.wrong.title", **counted)
    if classes is not None and max(classes) < len(labels) and min(classes) >= 0:
        true, said = (labels[number] for number in classes)
        title = say("finetune.wrong.cell", **counted, true=true, said=said)
    shown = [_row(*row) for row in rows[:SHOWN]]
    return {"examples": NOTHING | {"title": title, "examples": shown, "more": max(len(rows) - SHOWN, 0)}}


def _row(example: Example, found: Verdict) -> dict[str, Any]:
    texts = {"text": example.text[:LONGEST], "pair": example.pair[:LONGEST], "options": "\n".join(example.choices)}
    return {**texts, **found._asdict()}
