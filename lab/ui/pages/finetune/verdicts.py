"""What an example asks for and what a model said of it, as two short answers beside each other, task by task."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lab.entries import TaskEntry
from lab.examples import OUTSIDE, Example, Prediction
from lab.tasks.metrics.entities import entities, name_entities
from lab.tasks.metrics.squad import exact_match
from lab.ui.words import say

LONGEST = 300  # characters of an answer
SILENT = say("finetune.wrong.silent")  # that a text holds no answer
NO_ENTITY = say("finetune.wrong.no_entity")

Labels = Sequence[Any]


class Verdict(NamedTuple):
    """The true answer and the one that was given, how likely the model held it, None where nobody can say, and whether
    it is right."""

    true: Any
    said: Any
    share: float | None
    right: bool


def judges(task: TaskEntry) -> bool:
    """Whether an answer of this task is right or wrong: a similarity is near or far, and a written text is neither."""
    return _kind(task) is not None


def verdict(task: TaskEntry, example: Example, said: Prediction, labels: Labels) -> Verdict:
    """The verdict on one answer of a task that ``judges``."""
    judge = _kind(task)
    assert judge is not None
    return judge(example, said, labels)


def _kind(task: TaskEntry) -> Callable[[Example, Prediction, Labels], Verdict] | None:
    known = {"choices": _of_choices, "answers": _of_spans, "tags": _of_tags, "label": _of_classes}
    return next((judge for field, judge in known.items() if field in task.holds), None)


def _of_classes(example: Example, said: Prediction, labels: Labels) -> Verdict:
    true = example.label or 0
    return Verdict(labels[true], labels[said.label], said.chances[said.label], true == said.label)


def _of_choices(example: Example, said: Prediction, labels: Labels) -> Verdict:
    true = example.label or 0
    texts = [choice[:LONGEST] for choice in example.choices]
    return Verdict(texts[true], texts[said.label], said.chances[said.label], true == said.label)


def _of_spans(example: Example, said: Prediction, labels: Labels) -> Verdict:
    answers = [example.text[start:end] for start, end in example.answers]
    given = "" if said.answer is None else example.text[slice(*said.answer)]
    right = bool(exact_match(given, answers)) if answers and given else not answers and not given
    return Verdict(answers[0][:LONGEST] if answers else SILENT, given[:LONGEST] or SILENT, said.score, right)


def _of_tags(example: Example, said: Prediction, labels: Labels) -> Verdict:
    true, given = (_spelt(example, tags, labels) for tags in (example.tags, said.tags))
    return Verdict(true or NO_ENTITY, given or NO_ENTITY, None, example.tags == said.tags)


def _spelt(example: Example, tags: Sequence[int], labels: Labels) -> str:
    """The entities that the tags name, or each word that has a tag."""
    names = [str(labels[tag]) for tag in tags]
    if name_entities([*map(str, labels)]):
        found = entities(names)
    else:
        found = [(name, place, place) for place, name in enumerate(names) if name != OUTSIDE]
    spans = [(kind, example.words[first][0], example.words[last][1]) for kind, first, last in found]
    return ", ".join(f"{example.text[start:end]} ({kind})" for kind, start, end in spans)[:LONGEST]
