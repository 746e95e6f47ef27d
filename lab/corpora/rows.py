"""A corpus from a table: each row of a JSON lines, CSV or Parquet file is one document.

Duplicates are dropped, and the documents stand in the order of a digest of their text: which of them are held out for
validation then depends on their text alone, not on the order of the file or on what else is in it.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.files.parquet import ENDING, Parquet, is_parquet
from lab.corpora.text_file import MOST_MEGABYTES, WHOLE, existing, read_text
from lab.settings import Settings, SettingsError, knob


@dataclass(frozen=True, kw_only=True)
class Rows(Settings):
    path: str = knob("", "Path of a JSON lines, CSV or Parquet file", "JSON Lines、CSV 或 Parquet 文件的路径")
    column: str = knob("text", "Column of the text", "文本所在的列")
    documents: int = knob(0, "Most documents, 0 for all", "最多读取的文档数，0 为全部", low=0, high=10**9, step=1000)
    megabytes: int = knob(200, "Largest size in megabytes", "大小上限（兆字节）", low=1, high=MOST_MEGABYTES, step=1)


@CORPORA.add(
    "rows",
    title="File of texts, one a row",
    zh=("每行一篇的文件", "读取 JSON Lines、CSV 或 Parquet 文件中的一列，每行为一篇；重复的只留一篇。"),
    settings=Rows,
    order=5,
    labelled=False,
    endings=(".jsonl", ".csv", ENDING),
)
def rows(s: Rows) -> list[Document]:
    """Your own texts from one column of a JSON lines, CSV or Parquet file: each row is a document."""
    file = existing(s.path)
    if file.is_dir():
        raise SettingsError(f"{s.path!r} is a folder; name a file", f"{s.path!r} 是文件夹，请指定一个文件")
    cells = (
        _parquet(Parquet(file, s.megabytes), s.column)
        if is_parquet(file)
        else _lines(read_text(file, min(s.megabytes, WHOLE)), s.column)
    )
    texts = {hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(): text for text in cells if text.strip()}
    if not texts:
        raise SettingsError(f"{s.path!r} holds no text", f"{s.path!r} 中没有文字")
    return [Document(texts[digest]) for digest in sorted(texts)[: s.documents or None]]


def _lines(content: str, column: str) -> Iterator[str]:
    return _json_lines(content, column) if content.lstrip()[0] in "{[" else _csv(content, column)


def _json_lines(content: str, column: str) -> Iterator[str]:
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise _at(number, "is not valid JSON", "不是合法的 JSON") from None
        if not isinstance(record, dict):
            raise _at(number, "is not a JSON object", "不是 JSON 对象")
        yield _text(record.get(_there(column, list(record))), number)


def _csv(content: str, column: str) -> Iterator[str]:
    csv.field_size_limit(max(csv.field_size_limit(), min(len(content) + 1, 2**31 - 1)))  # a C long may have 32 bits
    table = csv.DictReader(io.StringIO(content, newline=""), strict=True)
    try:
        _there(column, list(table.fieldnames or ()))
        for row in table:
            yield _text(row[column], table.line_num)
    except csv.Error:
        raise _at(table.line_num, "has a quotation mark out of place", "的引号不匹配") from None


def _parquet(table: Parquet, column: str) -> Iterator[str]:
    rows = table.rows([_there(column, table.names)])
    yield from (_text(row[column], number) for number, row in enumerate(rows, 1))


def _there(column: str, columns: list[str]) -> str:
    if column in columns:
        return column
    there = [name[:40] for name in columns[:20]]
    raise SettingsError(
        f"there is no column {column!r}; there are: {', '.join(there)}",
        f"没有名为 {column!r} 的列；现有的列：{'、'.join(there)}",
    )


def _text(cell: Any, line: int) -> str:
    if cell is None:
        return ""
    if not isinstance(cell, str):
        raise _at(line, "has something else than text in that column", "在该列中不是文字")
    return cell


def _at(line: int, en: str, zh: str) -> SettingsError:
    return SettingsError(f"line {line} {en}", f"第 {line} 行{zh}")
