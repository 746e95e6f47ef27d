"""A labelled corpus from a file, CSV, JSON lines, CoNLL or Parquet: one example a row, whatever task it is for.

Labels may be words or whole numbers. Their classes are numbered in sorted order, whole numbers by value. What else a
task asks for (a second text, tags, answers, a target) stands in a column of its own, found by the setting that names it
or else by the task's usual names.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.files import fields
from lab.corpora.files.faults import Faults
from lab.corpora.files.table import Column, read_table
from lab.entries import TaskEntry
from lab.examples import Example, Examples
from lab.settings import Settings, knob

BESIDE = ("text", "pair", "choices")  # what a model reads; any other field of an example is its label
OWN = {"text": "text", "label": "label"}  # how the columns are called unless a setting or the task says otherwise


@dataclass(frozen=True, kw_only=True)
class Labelled(Settings):
    path: str = knob(
        "", "Path of a CSV, JSON lines, CoNLL or Parquet file", "CSV、JSON Lines、CoNLL 或 Parquet 文件的路径"
    )
    text_column: str = knob("text", "Column of the text", "文本所在的列")
    label_column: str = knob("label", "Column of the label", "标签所在的列")
    pair_column: str = knob("", "Column of a second text", "第二段文本所在的列")
    choices_column: str = knob("", "Column of the choices", "选项所在的列")
    skip_unlabelled: bool = knob(
        False, "Leave out rows without a text or a label, or that cannot be read", "略去没有文字或标签、或无法读取的行"
    )
    test: str = knob(
        "",
        "Path of a file to test on; without one a tenth of the texts is held out",
        "测试文件的路径；缺省时留出十分之一",
    )
    megabytes: int = knob(200, "Largest size in megabytes", "大小上限（兆字节）", low=1, high=2000, step=1)


@dataclass(frozen=True)
class Reading:
    """What a file of texts and classes holds."""

    documents: list[Document]
    classes: list[str]  # their names, in the order of their numbers
    left_out: int = 0  # rows without a text or a label, or that cannot be read


def classes(s: Labelled) -> list[str]:
    """The names of the file's classes, in the order of their numbers."""
    return _reading(s).classes


def checked_on(s: Labelled) -> list[Document] | None:
    """The texts of a test file with the classes of the file that is learnt from; None where there is none."""
    return _reading(s, s.test, _reading(s).classes).documents if s.test else None


def examples(s: Labelled, task: TaskEntry) -> Examples:
    """The examples of the file with all that the task needs. Raises SettingsError with the line at fault."""
    return _examples(s, task, s.path)


def held_out(s: Labelled, task: TaskEntry, labels: Sequence[str]) -> Sequence[Example] | None:
    """Those of a test file, with these classes; None where there is none."""
    return _examples(s, task, s.test, labels).examples if s.test else None


def _examples(s: Labelled, task: TaskEntry, path: str, labels: Sequence[str] = ()) -> Examples:
    columns = [_column(s, task, field) for field in task.holds]
    passed: Faults | None = [] if s.skip_unlabelled else None
    rows = read_table(path, s.megabytes, columns, passed)
    records = [(line, dict(zip(task.holds, cells, strict=True))) for line, cells in rows]
    examples, names = fields.examples(records, task.holds, labels, passed)
    if not examples and passed:
        raise passed[0]
    if not examples or (task.names and len(names) < 2):
        raise fields.too_few(path, len(names))
    return Examples(examples, tuple(names), tuple(passed or ()))


def _column(s: Labelled, task: TaskEntry, field: str) -> Column:
    """The names that the column of a field may have."""
    part = field if field in BESIDE else "label"
    given = {"text": s.text_column, "pair": s.pair_column, "choices": s.choices_column, "label": s.label_column}
    chosen = given[part]
    usual = task.columns[field]
    return usual if chosen == OWN.get(part, "") else (chosen,)


def _reading(s: Labelled, path: str = "", labels: Sequence[str] = ()) -> Reading:
    return read_labelled(path or s.path, s.text_column, s.label_column, s.megabytes, s.skip_unlabelled, labels)


@CORPORA.add(
    "labelled",
    title="Labelled file",
    zh=("带标签的文件", "读取一个 CSV、JSON Lines、CoNLL 或 Parquet 文件，每行一段文字和一个标签，用于微调。"),
    settings=Labelled,
    order=7,
    labelled=True,
    classes=classes,
    checked_on=checked_on,
    examples=examples,
    held_out=held_out,
)
def labelled(s: Labelled) -> list[Document]:
    """Your own labelled texts from a CSV, JSON lines, CoNLL or Parquet file, for fine-tuning."""
    return _reading(s).documents


def read_labelled(
    path: str,
    text_column: str = "text",
    label_column: str = "label",
    megabytes: int = 200,
    skip: bool = False,
    labels: Sequence[str] = (),
) -> Reading:
    """Texts with their classes. Rows without a text or a label, or that cannot be read, are left out and counted if
    they may be skipped. Where ``labels`` are given, those of another file, no others are taken. Raises SettingsError
    with the line at fault."""
    passed: Faults | None = [] if skip else None
    rows = read_table(path, megabytes, [(text_column,), (label_column,)], passed)
    records = [(line, {"text": text, "label": label}) for line, (text, label) in rows]
    examples, names = fields.examples(records, ("text", "label"), labels, passed)
    if not examples and passed:
        raise passed[0]
    if len(names) < 2:
        raise fields.too_few(path, len(names))
    return Reading([Document(example.text, example.label) for example in examples], names, len(passed or ()))
