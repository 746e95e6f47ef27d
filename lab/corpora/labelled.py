"""A labelled corpus from a file, CSV, JSON lines, CoNLL or Parquet: one example a row, whatever task it is for.

Labels may be words or whole numbers. Their classes are numbered in sorted order, whole numbers by value. What a
task asks for (a text, a label, a second text, tags, answers, a target) stands in a column of its own each, found by the
setting that names it or else by the task's usual names.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.batch import Document
from lab.catalog import CORPORA, TASKS
from lab.corpora.files import fields
from lab.corpora.files.faults import Faults, in_file
from lab.corpora.files.table import Column, columns_of, read_table
from lab.entries import TaskEntry
from lab.examples import Example, Examples, dealt
from lab.settings import Settings, SettingsError, knob

BESIDE = ("text", "pair", "choices")  # what a model reads; any other field of an example is its label
COLUMNS = ("text_column", "label_column", "pair_column", "choices_column")
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


def examples(s: Labelled, task: TaskEntry) -> Examples:
    """The examples of the file with all that the task needs. Raises SettingsError with the line at fault."""
    with in_file(s.path):
        return _examples(s, task, s.path)


def held_out(s: Labelled, task: TaskEntry, labels: Sequence[str]) -> Sequence[Example] | None:
    """Those of a test file, with these classes, dealt out: a check may ask about the first ones alone. None where there
    is no such file."""
    if not s.test:
        return None
    try:
        tested = _examples(s, task, s.test, labels).examples
    except SettingsError as error:
        raise SettingsError(f"in the test file: {error.en}", f"测试文件：{error.zh}") from None
    return [tested[number] for number in dealt(len(tested))]


def known_columns(s: Labelled, told: Labelled) -> dict[str, str]:
    """The settings of columns that were ``told`` of another file, of those columns that this file has."""
    there = columns_of(s.path, s.megabytes)
    return {name: column for name, column in told.dump().items() if name in COLUMNS and column in there}


def _examples(s: Labelled, task: TaskEntry, path: str, labels: Sequence[str] = ()) -> Examples:
    columns = [_column(s, task, field) for field in task.holds]
    passed: Faults | None = [] if s.skip_unlabelled else None
    rows = read_table(path, s.megabytes, columns, passed)
    records = [(line, dict(zip(task.holds, cells, strict=True))) for line, cells in rows]
    examples, names = fields.examples(records, task.holds, labels, passed)
    if not examples and passed:
        raise passed[0]
    if not examples:
        raise SettingsError(f"{path!r} has no rows", f"{path!r} 中没有数据行")
    return Examples(examples, tuple(names), tuple(passed or ()))


def _column(s: Labelled, task: TaskEntry, field: str) -> Column:
    """The names that the column of a field may have."""
    part = field if field in BESIDE else "label"
    given = {"text": s.text_column, "pair": s.pair_column, "choices": s.choices_column, "label": s.label_column}
    chosen = given[part]
    usual = task.columns[field]
    return usual if chosen == OWN.get(part, "") else (chosen,)


@CORPORA.add(
    "labelled",
    title="Labelled file",
    zh=("带标签的文件", "读取一个 CSV、JSON Lines、CoNLL 或 Parquet 文件，每行一段文字和一个标签，用于微调。"),
    settings=Labelled,
    order=7,
    labelled=True,
    examples=examples,
    held_out=held_out,
)
def labelled(s: Labelled) -> list[Document]:
    """Your own labelled texts from a CSV, JSON lines, CoNLL or Parquet file, for fine-tuning."""
    return [Document(example.text, example.label) for example in examples(s, TASKS["classify"]).examples]
