"""How the model of a run is shown labelled texts, and which examples the run learns from and is checked on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lab.batch import Document
from lab.catalog import CORPORA, OBJECTIVES, TASKS
from lab.data.corpus import labelled_split, town_documents
from lab.data.rows import shuffled
from lab.data.template import given
from lab.entries import CorpusEntry, TaskEntry
from lab.examples import Example, Examples
from lab.runs.run import IMPORTED, Run
from lab.settings import Settings, SettingsError
from lab.tasks.parts.reader import Reader
from lab.tokenizer import Tokenizer
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
TEXT_AND_CLASS = ("text", "label")  # what a text with a class has
BUDGET = 2**31  # instead of an epoch: the dice that choose what is labelled are not those that order it


@dataclass(frozen=True)
class Parts:
    """What a run of fine-tuning learns from, what it is checked on, and the names of its classes, if they have any."""

    train: Sequence[Example]
    valid: Sequence[Example]
    labels: tuple[str, ...] = ()


def reader_of(run: Run, tokenizer: Tokenizer, read_before: Mapping[str, Ids] | None = None) -> Reader:
    """How the run's model is shown texts. Those that were ``read_before`` are not encoded again."""
    words = read_before or {}
    return replace(
        plain_reader(run, tokenizer.vocabulary),
        around=own_frame(run, tokenizer),
        ids=lambda text: words[text] if text in words else tokenizer.encode(text),
        spans=tokenizer.encode_with_spans,
    )


def own_frame(run: Run, tokenizer: Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The special tokens before and behind a text, where an imported model that goes on with texts knows them by its
    own tokenizer: <s> before LLaMA's, none around GPT-2's. None of all others, whose objective frames a text; those
    that were fine-tuned here have learnt that frame, whatever they come from."""
    if run.kind != IMPORTED or not OBJECTIVES[run.objective].left_to_right:
        return None
    return tokenizer.around if sum(map(len, tokenizer.around)) <= run.longest // 2 else None  # a stranger may want all


def plain_reader(run: Run, vocabulary: Vocabulary) -> Reader:
    """The same of a vocabulary alone, to whom every text is empty."""
    objective, nothing = OBJECTIVES[run.objective], np.zeros((0, 2), dtype=np.int64)
    return Reader(
        vocabulary=vocabulary,
        context=run.longest,
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


def parts_of(run: Run, labels: Sequence[str] = ()) -> Parts:
    """The examples of the run's corpus for its task, as many to learn from as its label budget allows; their classes
    numbered by the ``labels`` that the run keeps, if there are any, for its file may have changed since it began.
    Raises SettingsError where the corpus has no examples, or one of another class."""
    assert run.task is not None
    parts = parts_in(CORPORA[run.corpus], run.settings_of("corpus"), TASKS[run.task])
    if labels and parts.labels != tuple(labels):
        train, valid = (renumbered(Examples(part, parts.labels), labels) for part in (parts.train, parts.valid))
        parts = Parts(train, valid, tuple(labels))
    return replace(parts, train=budgeted(parts.train, run.tuning.labels, run.seed))


def parts_in(corpus: CorpusEntry, settings: Settings, task: TaskEntry) -> Parts:
    """All examples of a corpus for a task, a tenth of them kept apart unless there is a test file."""
    examples = told_apart(examples_in(corpus, settings, task), task)
    held: Sequence[Example] | None = None
    if corpus.held_out is not None:
        held = corpus.held_out(settings, task, examples.labels)
    train, valid = labelled_split(list(examples.examples)) if held is None else (examples.examples, held)
    if not train or not valid:
        raise too_few()
    return Parts(train, valid, examples.labels)


def budgeted(examples: Sequence[Example], labels: int | None, seed: int) -> Sequence[Example]:
    """So many of the examples, drawn by the seed, or all of them. A larger budget has all that a smaller one has."""
    if labels is None or labels >= len(examples):
        return examples
    return [examples[number] for number in shuffled(seed, BUDGET, len(examples))[:labels]]


def examples_in(corpus: CorpusEntry, settings: Settings, task: TaskEntry) -> Examples:
    """What a corpus holds for a task. Raises SettingsError where that is nothing."""
    if corpus.examples is not None:
        return corpus.examples(settings, task)
    if task.holds == TEXT_AND_CLASS and corpus.labelled is True:
        built = town_documents(corpus.name, settings) if corpus.language else corpus.build(settings)
        examples = as_examples(built)
        given = corpus.classes or [
            str(n) for n in sorted({document.label for document in examples if document.label is not None})
        ]
        return Examples(examples, tuple(given))
    raise SettingsError(
        f"the corpus {corpus.name} holds no labels for {task.name}: name a file that has {', '.join(task.holds)}",
        f"语料 {corpus.name} 没有可用于 {task.name} 的标注：请指定含有 {'、'.join(task.holds)} 的文件",
    )


def told_apart(examples: Examples, task: TaskEntry) -> Examples:
    """Examples to learn from. Raises SettingsError where all are of one class, which can only be asked about."""
    if task.names and len(examples.labels) < 2:
        raise SettingsError(
            "there is only 1 class in what is to be learnt from; at least 2 classes are needed",
            "用于学习的样本只有 1 个类别，至少需要 2 个",
        )
    return examples


def renumbered(examples: Examples, labels: Sequence[str]) -> list[Example]:
    """The examples, their classes numbered as a run that knows these ``labels`` numbers them. Raises SettingsError for
    a class that it does not know."""
    strange = sorted({*examples.labels} - {*labels}) if examples.labels else []
    if strange:
        raise SettingsError(
            f"the run does not know the label {strange[0]!r}; it knows: {', '.join(labels)}",
            f"该训练没有标签 {strange[0]!r}；它的标签有：{'、'.join(labels)}",
        )
    number = [labels.index(name) for name in examples.labels]
    if not number:
        return list(examples.examples)
    return [
        replace(
            example,
            label=None if example.label is None else number[example.label],
            tags=tuple(number[tag] for tag in example.tags),
        )
        for example in examples.examples
    ]


def as_examples(documents: Sequence[Document | Example]) -> list[Example]:
    """Texts with a class as examples."""
    return [
        Example(document.text, label=document.label, story=document.story)
        if isinstance(document, Document)
        else document
        for document in documents
    ]


def too_few() -> SettingsError:
    """What is said where nothing can be learnt and checked."""
    return SettingsError(
        "there are too few different examples: two that differ are needed, with the same label where there are labels, "
        "one to learn from and one to check on; is this the right column?",
        "不同的样本太少：至少要有两个不同的样本（有标签时须属同一标签），一个用于学习，一个用于验证；选的列对吗？",
    )
