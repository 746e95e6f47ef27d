"""Tables: the cells of a CSV file, of a file of JSON lines, of CoNLL or of Parquet, row by row, each with the number of
its line."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from lab.corpora.files.conll import NAMES, conll, is_conll
from lab.corpora.files.faults import Faults, at_line, leave_out
from lab.corpora.files.parquet import Parquet, is_parquet, parquet
from lab.corpora.text_file import existing, read_text
from lab.settings import SettingsError

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
NAME = 60  # characters that the name of a column has at most
_DELIMITERS = ",;\t|"
_JSON, _SEPARATED = (".jsonl", ".ndjson", ".json"), (".csv", ".tsv")

Column = Sequence[str]  # the names that a column may have: the first that is there counts
Cells = tuple[int, list[Any]]  # the number of a line, and what stands in the columns that are wanted


def read_table(path: str, megabytes: int, columns: Sequence[Column], passed: Faults | None = None) -> list[Cells]:
    """What a file holds in these columns. Raises SettingsError with the line at fault; where lines may be left out, it
    is added to those that are ``passed`` over."""
    file = existing(path)
    if file.is_dir():
        raise SettingsError(f"{path!r} is a folder; name a file", f"{path!r} 是文件夹，请指定一个文件")
    if is_parquet(file):
        return [*packed_cells(parquet(file, megabytes), columns)]
    return [*cells(read_text(file, megabytes), columns, passed, name=path)]


def cells(content: str, columns: Sequence[Column], passed: Faults | None = None, name: str = "") -> Iterator[Cells]:
    """What JSON lines, CoNLL or CSV of this ``name`` hold in these columns."""
    if _is_json(content, name):
        return _json_lines(content, columns, passed)
    return _conll(content, columns) if is_conll(content) else _csv(content, columns, passed)


def _is_json(content: str, name: str) -> bool:
    """Whether a file's name says that it holds JSON lines, or its first character where the name says nothing."""
    return name.lower().endswith(_JSON) or (content.lstrip()[0] in "{[" and not name.lower().endswith(_SEPARATED))


def packed_cells(table: Parquet, columns: Sequence[Column]) -> Iterator[Cells]:
    """What Parquet holds in these columns, with the numbers of its rows."""
    names = [table.names[_column(table.names, column)] for column in columns]
    for number, row in enumerate(table.rows(names), start=1):
        yield number, [row[name] for name in names]


def columns_of(path: str, megabytes: int) -> list[str]:
    """The names of a file's columns: of JSON lines, those of the first."""
    return preview(path, megabytes, rows=1)[0]


def preview(path: str, megabytes: int = 2000, rows: int = 200) -> tuple[list[str], list[dict[str, Any]]]:
    """The names of a file's columns and its first rows, whatever they hold. Raises SettingsError if it has none."""
    file = existing(path)
    if is_parquet(file):
        table = parquet(file, megabytes)
        return table.names, [*islice(table.rows(table.names), rows)]
    content = read_text(file, megabytes)
    if _is_json(content, path):
        records = _first_records(content.split("\n", 4 * rows)[: 4 * rows], rows)
        return [*dict.fromkeys(name for record in records for name in record)], records
    if is_conll(content):
        return NAMES, [record for _, record in islice(conll(content), rows)]
    _allow_long_fields(content)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(content))
    try:
        table_rows = list(islice(filter(None, reader), rows + 1))
    except csv.Error:
        raise at_line(reader.line_num, "has a quotation mark out of place", "的引号不匹配") from None
    headed = has_header(table_rows)
    header = _names(table_rows[0]) if headed else _unnamed(len(table_rows[0]))
    body = table_rows[1:] if headed else table_rows
    return header, [dict(zip(header, row, strict=False)) for row in body[:rows]]


def _first_records(lines: Sequence[str], most: int) -> list[dict[str, Any]]:
    """The first lines that can be read. Raises SettingsError where none can."""
    records, passed = list[dict[str, Any]](), Faults()
    for number, line in enumerate(lines, start=1):
        if line.strip() and len(records) < most:
            try:
                records.append(record_of(number, line))
            except SettingsError as fault:
                passed.append(fault)
    if not records:
        raise passed[0]
    return records


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of a table's rows names its columns. It does not if it looks like those below it: if one of its
    fields is a value that comes again in its column, a number where numbers stand below, or a long text."""
    first, below = rows[0], rows[1:]
    if not below:
        return True
    for number, name in enumerate(first):
        column = [row[number].strip() for row in below if number < len(row)]
        if not name.strip() or name.strip() in column or WHOLE.fullmatch(name.strip()) or len(name) > NAME:
            return False
    return True


def unnamed(name: str) -> int:
    """Which column of a table without a header is called so; 0 for a name of its own."""
    match = re.fullmatch(r"column (\d+)", name)
    return int(match[1]) if match else 0


def _names(row: Sequence[str]) -> list[str]:
    return [name.strip() for name in row]


def _unnamed(count: int) -> list[str]:
    """What the columns of a table without a header are called."""
    return [f"column {number}" for number in range(1, count + 1)]


def _allow_long_fields(content: str) -> None:
    csv.field_size_limit(max(csv.field_size_limit(), min(len(content) + 1, 2**31 - 1)))  # a C long may have 32 bits


def _csv(content: str, columns: Sequence[Column], passed: Faults | None) -> Iterator[Cells]:
    _allow_long_fields(content)
    header: list[str] = []
    if not {column[0] for column in columns} - set(_unnamed(9999)) and not has_header(_first(content)):
        header = _unnamed(len(_first(content)[0]))
        places = [_column(header, column) for column in columns]
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(content), strict=True)
    try:
        for row in rows:
            if not row:
                continue
            if not header:
                header = _names(row)
                places = [_column(header, column) for column in columns]
                continue
            if len(row) != len(header):
                en = f"has {len(row)} field{'s' * (len(row) > 1)} where the header has {len(header)}"
                zh = f"有 {len(row)} 个字段，而表头有 {len(header)} 个"
                leave_out(at_line(rows.line_num, en, zh), passed)
                continue
            yield rows.line_num, [row[place] for place in places]
    except csv.Error:
        raise at_line(rows.line_num, "has a quotation mark out of place", "的引号不匹配") from None


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


def _conll(content: str, columns: Sequence[Column]) -> Iterator[Cells]:
    names = [NAMES[_column(NAMES, column)] for column in columns]
    for number, record in conll(content):
        yield number, [record[name] for name in names]


def _json_lines(content: str, columns: Sequence[Column], passed: Faults | None) -> Iterator[Cells]:
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = record_of(number, line)
            names = list(record)
            found = [record[names[_column(names, column, number)]] for column in columns]
        except SettingsError as fault:
            leave_out(fault, passed)
            continue
        yield number, found


def record_of(number: int, line: str | bytes) -> dict[str, Any]:
    """A line of JSON lines. Raises SettingsError, which says which line it is, where it is no object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise at_line(number, "is not valid JSON", "不是合法的 JSON") from None
    if not isinstance(record, dict):
        raise at_line(
            number, "is not a JSON object: write one a line (JSON Lines)", "不是 JSON 对象：请每行写一个（JSON Lines）"
        )
    return record


def _column(columns: list[str], wanted: Column, line: int | None = None) -> int:
    for name in wanted:
        if name in columns:
            return columns.index(name)
    there = [name[:40] for name in columns[:20]]
    en = f"there is no column {wanted[0]!r}; there are: {', '.join(there)}"
    zh = f"没有名为 {wanted[0]!r} 的列；现有的列：{'、'.join(there)}"
    raise SettingsError(en, zh) if line is None else SettingsError(f"in line {line} {en}", f"第 {line} 行{zh}")
