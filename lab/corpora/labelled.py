"""A labelled corpus from a CSV file or a file of JSON lines: one text and one label a row.

Labels may be words or whole numbers. Their classes are numbered in sorted order, whole numbers by value.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.text_file import existing, read_text
from lab.settings import Settings, SettingsError, knob

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DELIMITERS = ",;\t|"
NAME = 60  # characters that the name of a column has at most
Row = tuple[int, str, str]  # line number, text, label
Cells = tuple[int, Any, Any]  # the same as it stands in the file


@dataclass(frozen=True, kw_only=True)
class Labelled(Settings):
    path: str = knob("", "Path of a CSV or JSON lines file", "CSV 或 JSON Lines 文件的路径")
    text_column: str = knob("text", "Column of the text", "文本所在的列")
    label_column: str = knob("label", "Column of the label", "标签所在的列")
    skip_unlabelled: bool = knob(False, "Leave out rows without a text or a label", "略去没有文字或标签的行")
    test: str = knob(
        "",
        "Path of a file to test on; without one a tenth of the texts is held out",
        "测试文件的路径；缺省时留出十分之一",
    )
    megabytes: int = knob(200, "Largest size in megabytes", "大小上限（兆字节）", low=1, high=2000, step=1)


@dataclass(frozen=True)
class Reading:
    """What a labelled file holds."""

    documents: list[Document]
    classes: list[str]  # their names, in the order of their numbers
    left_out: int = 0  # rows without a text or a label


def classes(s: Labelled) -> list[str]:
    """The names of the file's classes, in the order of their numbers."""
    return _reading(s).classes


def checked_on(s: Labelled) -> list[Document] | None:
    """The texts of a test file with the classes of the file that is learnt from; None where there is none."""
    return _reading(s, s.test, _reading(s).classes).documents if s.test else None


def _reading(s: Labelled, path: str = "", known: Sequence[str] = ()) -> Reading:
    return read_labelled(path or s.path, s.text_column, s.label_column, s.megabytes, s.skip_unlabelled, known)


@CORPORA.add(
    "labelled",
    title="Labelled file",
    zh=("带标签的文件", "读取一个 CSV 或 JSON Lines 文件，每行一段文字和一个标签，用于微调。"),
    settings=Labelled,
    order=7,
    labelled=True,
    classes=classes,
    checked_on=checked_on,
)
def labelled(s: Labelled) -> list[Document]:
    """Your own labelled texts from a CSV or JSON lines file, for fine-tuning."""
    return _reading(s).documents


def read_labelled(
    path: str,
    text_column: str = "text",
    label_column: str = "label",
    megabytes: int = 200,
    skip: bool = False,
    known: Sequence[str] = (),
) -> Reading:
    """The documents with their classes. Rows without a text or a label are left out and counted if they may be
    skipped. Where the classes are ``known``, those of another file, no others are taken. Raises SettingsError with the
    line at fault."""
    file = existing(path)
    if file.is_dir():
        raise SettingsError(f"{path!r} is a folder; name a file", f"{path!r} 是文件夹，请指定一个文件")
    content = read_text(file, megabytes)
    read = _json_lines if content.lstrip()[0] in "{[" else _csv
    cells = list(read(content, text_column, label_column))
    kept = [cell for cell in cells if not skip or (_given(cell[1]) and _given(cell[2]))]
    rows = [_row(*cell) for cell in kept]
    if known:
        return Reading(_numbered(rows, known), list(known), len(cells) - len(kept))
    names = sorted({label for _, _, label in rows})
    if all(_WHOLE.fullmatch(name) for name in names):
        names.sort(key=int)
    if len(names) < 2:
        raise SettingsError(
            f"{path!r} has {_counted(len(names))}; at least 2 classes are needed",
            f"{path!r} 中只有 {len(names)} 个类别，至少需要 2 个",
        )
    return Reading(_numbered(rows, names), names, len(cells) - len(kept))


def _numbered(rows: Sequence[Row], names: Sequence[str]) -> list[Document]:
    classes = {name: number for number, name in enumerate(names)}
    for line, _, label in rows:
        if label not in classes:
            raise _at(
                line,
                f"has the label {label[:40]!r}, which no text to learn from has",
                f"的标签 {label[:40]!r} 在训练文本中没有出现",
            )
    return [Document(text, classes[label]) for _, text, label in rows]


def _given(cell: Any) -> bool:
    """Whether there is something in a field."""
    return cell is not None and bool(str(cell).strip())


def preview(path: str, megabytes: int = 2000, rows: int = 200) -> tuple[list[str], list[dict[str, Any]]]:
    """The names of a file's columns and its first rows, whatever they hold. Raises SettingsError if it has none."""
    content = read_text(existing(path), megabytes)
    if content.lstrip()[0] in "{[":
        lines = [line for line in content.split("\n", 4 * rows)[: 4 * rows] if line.strip()]
        records = [_record(number, line) for number, line in enumerate(lines[:rows], start=1)]
        return list(records[0]), records
    _allow_long_fields(content)
    table = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(content))
    try:
        table_rows = list(islice(filter(None, table), rows + 1))
    except csv.Error:
        raise _at(table.line_num, "has a quotation mark out of place", "的引号不匹配") from None
    headed = has_header(table_rows)
    header = _names(table_rows[0]) if headed else _unnamed(len(table_rows[0]))
    body = table_rows[1:] if headed else table_rows
    return header, [dict(zip(header, row, strict=False)) for row in body[:rows]]


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of a table's rows names its columns. It does not if it looks like those below it: if one of its
    fields is a value that comes again in its column, a number where numbers stand below, or a long text."""
    first, below = rows[0], rows[1:]
    if not below:
        return True
    for number, name in enumerate(first):
        column = [row[number].strip() for row in below if number < len(row)]
        if not name.strip() or name.strip() in column or _WHOLE.fullmatch(name.strip()) or len(name) > NAME:
            return False
    return True


def _names(row: Sequence[str]) -> list[str]:
    return [name.strip() for name in row]


def _unnamed(count: int) -> list[str]:
    """What the columns of a table without a header are called."""
    return [f"column {number}" for number in range(1, count + 1)]


def unnamed(name: str) -> int:
    """Which column of a table without a header is called so; 0 for a name of its own."""
    match = re.fullmatch(r"column (\d+)", name)
    return int(match[1]) if match else 0


def _allow_long_fields(content: str) -> None:
    csv.field_size_limit(max(csv.field_size_limit(), min(len(content) + 1, 2**31 - 1)))  # a C long may have 32 bits


def _csv(content: str, text_column: str, label_column: str) -> Iterator[Cells]:
    _allow_long_fields(content)
    header: list[str] = []
    if not {text_column, label_column} - set(_unnamed(9999)) and not has_header(_first(content)):
        header = _unnamed(len(_first(content)[0]))
        text_at, label_at = _column(header, text_column), _column(header, label_column)
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(content), strict=True)
    try:
        for row in rows:
            if not row:
                continue
            if not header:
                header = _names(row)
                text_at, label_at = _column(header, text_column), _column(header, label_column)
                continue
            if len(row) != len(header):
                raise _at(
                    rows.line_num,
                    f"has {len(row)} fields where the header has {len(header)}",
                    f"有 {len(row)} 个字段，而表头有 {len(header)} 个",
                )
            yield rows.line_num, row[text_at], row[label_at]
    except csv.Error:
        raise _at(rows.line_num, "has a quotation mark out of place", "的引号不匹配") from None


def _first(content: str) -> list[list[str]]:
    """The first rows of a table."""
    table = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(content))
    return list(islice(filter(None, table), 200)) or [[]]


def _delimiter(content: str) -> str:
    """What separates the names in the header. Only the header is looked at: texts hold all kinds of signs."""
    header = content.lstrip("\n").partition("\n")[0][:10_000]
    try:
        return csv.Sniffer().sniff(header, delimiters=_DELIMITERS).delimiter
    except csv.Error:
        return ","


def _json_lines(content: str, text_column: str, label_column: str) -> Iterator[Cells]:
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        record = _record(number, line)
        for column in (text_column, label_column):
            _column(list(record), column, number)
        yield number, record[text_column], record[label_column]


def _record(number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise _at(number, "is not valid JSON", "不是合法的 JSON") from None
    if not isinstance(record, dict):
        raise _at(number, "is not a JSON object", "不是 JSON 对象")
    return record


def _row(line: int, text: Any, label: Any) -> Row:
    if not isinstance(text, str) or not text.strip():
        raise _at(line, "has no text", "没有文字")
    if isinstance(label, bool):
        label = "true" if label else "false"
    if not isinstance(label, str | int) or not str(label).strip():
        raise _at(
            line,
            "has no label, which is a word or a whole number: add one, or leave out rows without a label",
            "没有标签（文字或整数）：请补上，或略去没有标签的行",
        )
    return line, text, str(label).strip()


def _column(columns: list[str], wanted: str, line: int | None = None) -> int:
    if wanted in columns:
        return columns.index(wanted)
    there = [name[:40] for name in columns[:20]]
    en = f"there is no column {wanted!r}; there are: {', '.join(there)}"
    zh = f"没有名为 {wanted!r} 的列；现有的列：{'、'.join(there)}"
    raise SettingsError(en, zh) if line is None else SettingsError(f"in line {line} {en}", f"第 {line} 行{zh}")


def _at(line: int, en: str, zh: str) -> SettingsError:
    return SettingsError(f"line {line} {en}", f"第 {line} 行{zh}")


def _counted(classes: int) -> str:
    return "no rows" if not classes else "only 1 class"
