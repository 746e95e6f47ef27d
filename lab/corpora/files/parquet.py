"""Parquet: the columns of a table by name, of which only those that are wanted are read."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from lab.corpora.text_file import MEGABYTE
from lab.settings import SettingsError

ENDING = ".parquet"
PACKED = 20  # times the largest file: so large a table may be once it is unpacked
ROW = 10  # bytes that a row takes at least in any other file: packed, a few can stand for a milliard of rows

Row = dict[str, Any]  # plain values by column: a list where a cell holds several, None where nothing


def is_parquet(file: Path) -> bool:
    """Whether a file is one by its name."""
    return file.suffix.lower() == ENDING


def parquet(file: Path, megabytes: int) -> "Parquet":
    """The table in a file. Raises SettingsError where it is none, or too large to be read whole."""
    limit, table = megabytes * MEGABYTE, Parquet(file, str(file))
    if file.stat().st_size > limit or table.size > PACKED * limit or table.count * ROW > limit:
        raise _too_large(file, megabytes)
    return table


def json_lines(file: Path, megabytes: int) -> str:
    """The table in a file as JSON lines. Raises SettingsError as ``parquet`` does, and where they are too long."""
    table, lines, left = parquet(file, megabytes), list[str](), megabytes * MEGABYTE
    for row in table.rows(table.names):
        lines.append(json.dumps(row, ensure_ascii=False, default=str))
        left -= len(lines[-1])
        if left < 0:
            raise _too_large(file, megabytes)
    if not lines:
        raise SettingsError(f"{str(file)!r} is empty", f"{str(file)!r} 是空文件")
    return "\n".join(lines)


def _too_large(file: Path, megabytes: int) -> SettingsError:
    en, zh = f"is larger than the limit of {megabytes} MB", f"超过了 {megabytes} MB 的上限"
    return SettingsError(f"{str(file)!r} {en}", f"{str(file)!r} {zh}")


class Parquet:
    """A table, in a file or in what is read as one. Raises SettingsError where it is none, or pyarrow is not
    installed."""

    def __init__(self, source: Path | BinaryIO, name: str) -> None:
        try:
            from pyarrow import ArrowException  # noqa: PLC0415  a part of a second, which nobody else shall wait
            from pyarrow.parquet import ParquetFile  # noqa: PLC0415
        except ImportError:
            raise SettingsError(
                "Parquet files need the package pyarrow: install it, or save the table as JSON lines",
                "读取 Parquet 文件需要 pyarrow：请安装它，或将表格另存为 JSON Lines",
            ) from None
        self._name, self._faults = name, (OSError, ValueError, ArrowException)
        try:
            self._table = ParquetFile(source)
        except self._faults:
            raise self._broken() from None
        about = self._table.metadata
        self.count: int = about.num_rows
        self.size: int = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self._table.schema_arrow.names]

    def rows(self, wanted: Sequence[str]) -> Iterator[Row]:
        """One row after another, a batch of them read at a time."""
        batches = self._table.iter_batches(columns=[*wanted])
        while True:
            try:
                batch = next(batches, None)
                batch_rows = [] if batch is None else batch.to_pylist()
            except self._faults:
                raise self._broken() from None
            if batch is None:
                return
            yield from batch_rows

    def _broken(self) -> SettingsError:
        return SettingsError(f"{self._name!r} is no Parquet file", f"{self._name!r} 不是 Parquet 文件")
