"""A labelled corpus from a CSV file or a file of JSON lines: one text and one label a row.

Labels may be words or whole numbers. Their classes are numbered in sorted order, whole numbers by value.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.text_file import existing, read_text
from lab.settings import Settings, SettingsError, knob

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DELIMITERS = ",;\t|"
Row = tuple[int, str, str]  # line number, text, label


@dataclass(frozen=True, kw_only=True)
class Labelled(Settings):
    path: str = knob("", "Path of a CSV or JSON lines file", "CSV 或 JSON Lines 文件的路径")
    text_column: str = knob("text", "Column of the text", "文本所在的列")
    label_column: str = knob("label", "Column of the label", "标签所在的列")
    megabytes: int = knob(200, "Largest size in megabytes", "大小上限（兆字节）", low=1, high=2000, step=1)


def classes(s: Labelled) -> list[str]:
    """The names of the file's classes, in the order of their numbers."""
    return read_labelled(s.path, s.text_column, s.label_column, s.megabytes)[1]


@CORPORA.add(
    "labelled",
    title="Labelled file",
    zh=("带标签的文件", "读取一个 CSV 或 JSON Lines 文件，每行一段文字和一个标签，用于微调。"),
    settings=Labelled,
    order=6,
    labelled=True,
    classes=classes,
)
def labelled(s: Labelled) -> list[Document]:
    """Your own labelled texts from a CSV or JSON lines file, for fine-tuning."""
    return read_labelled(s.path, s.text_column, s.label_column, s.megabytes)[0]


def read_labelled(
    path: str, text_column: str = "text", label_column: str = "label", megabytes: int = 200
) -> tuple[list[Document], list[str]]:
    """The documents with their classes, and the name of each class. Raises SettingsError with the line at fault."""
    found = existing(path)
    if found.is_dir():
        raise SettingsError(f"{path!r} is a folder; name a file", f"{path!r} 是文件夹，请指定一个文件")
    content = read_text(found, megabytes)
    read = _json_lines if content.lstrip()[0] in "{[" else _csv
    rows = list(read(content, text_column, label_column))
    names = sorted({label for _, _, label in rows})
    if all(_WHOLE.fullmatch(name) for name in names):
        names.sort(key=int)
    if len(names) < 2:
        raise SettingsError(
            f"{path!r} has {_counted(len(names))}; at least 2 classes are needed",
            f"{path!r} 中只有 {len(names)} 个类别，至少需要 2 个",
        )
    classes = {name: number for number, name in enumerate(names)}
    return [Document(text, classes[label]) for _, text, label in rows], names


def preview(path: str, megabytes: int = 2000, rows: int = 200) -> tuple[list[str], list[dict[str, Any]]]:
    """The names of a file's columns and its first rows, whatever they hold. Raises SettingsError if it has none."""
    content = read_text(existing(path), megabytes)
    if content.lstrip()[0] in "{[":
        lines = [line for line in content.split("\n", 4 * rows)[: 4 * rows] if line.strip()]
        found = [_record(number, line) for number, line in enumerate(lines[:rows], start=1)]
        return list(found[0]), found
    table = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(content))
    try:
        header = [name.strip() for name in next(row for row in table if row)]
        return header, [dict(zip(header, row, strict=False)) for row in islice(filter(None, table), rows)]
    except csv.Error:
        raise _at(table.line_num, "has a quotation mark out of place", "的引号不匹配") from None


def _csv(content: str, text_column: str, label_column: str) -> Iterator[Row]:
    csv.field_size_limit(max(csv.field_size_limit(), min(len(content) + 1, 2**31 - 1)))  # a C long may have 32 bits
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(content), strict=True)
    header: list[str] = []
    try:
        for row in rows:
            if not row:
                continue
            if not header:
                header = [name.strip() for name in row]
                text_at, label_at = _column(header, text_column), _column(header, label_column)
                continue
            if len(row) != len(header):
                raise _at(
                    rows.line_num,
                    f"has {len(row)} fields where the header has {len(header)}",
                    f"有 {len(row)} 个字段，而表头有 {len(header)} 个",
                )
            yield _row(rows.line_num, row[text_at], row[label_at])
    except csv.Error:
        raise _at(rows.line_num, "has a quotation mark out of place", "的引号不匹配") from None


def _delimiter(content: str) -> str:
    """What separates the names in the header. Only the header is looked at: texts hold all kinds of signs."""
    header = content.lstrip("\n").partition("\n")[0][:10_000]
    try:
        return csv.Sniffer().sniff(header, delimiters=_DELIMITERS).delimiter
    except csv.Error:
        return ","


def _json_lines(content: str, text_column: str, label_column: str) -> Iterator[Row]:
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        record = _record(number, line)
        for column in (text_column, label_column):
            _column(list(record), column, number)
        yield _row(number, record[text_column], record[label_column])


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
        raise _at(line, "has no label: a label is a word or a whole number", "没有标签：标签应为文字或整数")
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
