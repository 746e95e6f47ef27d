"""How the model of a run is shown labelled texts, and which examples the run learns from and is checked on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lab.batch import Document
from lab.catalog import CORPORA, OBJECTIVES, TASKS
from lab.data.corpus import documents_of, labelled_split
from lab.data.template import given
from lab.entries import TaskEntry
from lab.examples import Example
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.tasks.parts.reader import Reader
from lab.tokenizer import Tokenizer
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
TEXT_AND_CLASS = ("text", "label")  # what every corpus with labels has


@dataclass(frozen=True)
class Parts:
    """What a run of fine-tuning learns from, what it is checked on, and the names of its classes, if they have any."""

    train: Sequence[Example]
    valid: Sequence[Example]
    labels: tuple[str, ...] = ()


def reader_of(run: Run, tokenizer: Tokenizer, known: Mapping[str, Ids] | None = None) -> Reader:
    """How the run's model is shown texts. Those that are ``known`` are not encoded again."""
    found = known or {}
    return replace(
        plain_reader(run, tokenizer.vocabulary),
        ids=lambda text: found[text] if text in found else tokenizer.encode(text),
        spans=tokenizer.encode_with_spans,
    )


def plain_reader(run: Run, vocabulary: Vocabulary) -> Reader:
    """The same of a vocabulary alone, to whom every text is empty."""
    objective, nothing = OBJECTIVES[run.objective], np.zeros((0, 2), dtype=np.int64)
    return Reader(
        vocabulary=vocabulary,
        context=run.settings_of("model").context,
        visible=given(objective),
        frame=objective.frame,
        ids=lambda text: nothing[:, 0],
        spans=lambda text: (nothing[:, 0], nothing),
        objective=objective,
        objective_settings=run.settings_of("objective"),
    )


def constant_reader(reader: Reader, ids: Ids) -> Reader:
    """The same, to whom every text is these ids (T,), a character each."""
    place = np.arange(len(ids))
    return replace(reader, ids=lambda text: ids, spans=lambda text: (ids, np.stack([place, place + 1], 1)))


def parts_of(run: Run) -> Parts:
    """The examples of the run's corpus for its task, a tenth of them kept apart unless there is a test file. Raises
    SettingsError where the corpus has none."""
    assert run.task is not None
    task, corpus, settings = TASKS[run.task], CORPORA[run.corpus], run.settings_of("corpus")
    if task.holds == TEXT_AND_CLASS and corpus.labelled is True:
        test = corpus.checked_on(settings) if corpus.checked_on else None
        examples, held = as_examples(documents_of(run)), None if test is None else as_examples(test)
        names = class_names(run, sorted({each.label for each in (*examples, *(held or ())) if each.label is not None}))
    elif corpus.examples is not None:
        found = corpus.examples(settings, task)
        examples, names = list(found.examples), found.labels
        tested = corpus.held_out(settings, task, names) if corpus.held_out else None
        held = None if tested is None else list(tested)
    else:
        raise unsuited(corpus.name, task)
    train, valid = labelled_split(examples) if held is None else (examples, held)
    if not train or not valid:
        raise too_few()
    return Parts(train, valid, names)


def class_names(run: Run, numbers: Sequence[int]) -> tuple[str, ...]:
    """The names that a corpus of texts and classes gives its classes, else their numbers."""
    names: Sequence[str] | Callable[..., Sequence[str]] = CORPORA[run.corpus].classes or [*map(str, numbers)]
    return tuple(names(run.settings_of("corpus")) if callable(names) else names)


def as_examples(documents: Sequence[Document | Example]) -> list[Example]:
    """Texts with a class as examples."""
    return [
        Example(each.text, label=each.label, story=each.story) if isinstance(each, Document) else each
        for each in documents
    ]


def unsuited(corpus: str, task: TaskEntry) -> SettingsError:
    """What is said of a corpus that holds nothing for a task."""
    return SettingsError(
        f"the corpus {corpus} holds no labels for {task.name}: name a file that has {', '.join(task.holds)}",
        f"语料 {corpus} 没有可用于 {task.name} 的标注：请指定含有 {'、'.join(task.holds)} 的文件",
    )


def too_few() -> SettingsError:
    """What is said where nothing can be learnt and checked."""
    return SettingsError("there are too few texts with labels: give at least two", "带标签的文本太少：请至少提供两条")
