"""Parquet: the columns of a table by name, of which only those that are wanted are read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.corpora.text_file import MEGABYTE
from lab.settings import SettingsError

ENDING = ".parquet"
PACKED = 20  # times the largest file: so large a table may be once it is unpacked
ROW = 10  # bytes that a row takes at least in any other file: packed, a few can stand for a milliard of rows


def is_parquet(file: Path) -> bool:
    """Whether a file is one by its name."""
    return file.suffix.lower() == ENDING


class Parquet:
    """A table on disk. Raises SettingsError where it is none, is too large, or pyarrow is not installed."""

    def __init__(self, file: Path, megabytes: int) -> None:
        try:
            from pyarrow import ArrowException  # noqa: PLC0415  a part of a second, which nobody else shall wait
            from pyarrow.parquet import ParquetFile  # noqa: PLC0415
        except ImportError:
            raise SettingsError(
                "Parquet files need the package pyarrow: install it, or save the table as JSON lines",
                "读取 Parquet 文件需要 pyarrow：请安装它，或将表格另存为 JSON Lines",
            ) from None
        self._file, self._faults = str(file), (OSError, ValueError, ArrowException)
        limit = megabytes * MEGABYTE
        if file.stat().st_size > limit:
            raise self._too_large(megabytes)
        try:
            self._table = ParquetFile(file)
        except self._faults:
            raise self._broken() from None
        about = self._table.metadata
        size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
        if size > PACKED * limit or about.num_rows * ROW > limit:
            raise self._too_large(megabytes)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self._table.schema_arrow.names]

    def rows(self, wanted: Sequence[str], most: int | None = None) -> list[dict[str, Any]]:
        """The first rows, or all, as plain values by column: a list where a cell holds several, None where nothing."""
        found = list[dict[str, Any]]()
        try:
            for batch in self._table.iter_batches(columns=[*wanted]):
                found += batch.slice(0, None if most is None else most - len(found)).to_pylist()
                if len(found) == most:
                    break
        except self._faults:
            raise self._broken() from None
        return found

    def _broken(self) -> SettingsError:
        return SettingsError(f"{self._file!r} is no Parquet file", f"{self._file!r} 不是 Parquet 文件")

    def _too_large(self, megabytes: int) -> SettingsError:
        return SettingsError(
            f"{self._file!r} is larger than the limit of {megabytes} MB", f"{self._file!r} 超过了 {megabytes} MB 的上限"
        )
