"""The metrics log of a run: one line, one write, one checksum per record; a torn tail is dropped."""

import json
import os
import zlib
from pathlib import Path
from typing import Any

from lab.runs.files import is_full


class MetricsLog:
    """Appends records to ``metrics.jsonl``. There is one writer: the worker that holds the run's lock. Others that
    train the run with it keep a log that is not ``written``."""

    def __init__(self, path: Path, *, written: bool = True) -> None:
        self.path = path
        self._written = written
        self._waiting = b""

    def write(self, kind: str, step: int, **values: Any) -> None:
        """Append one record; when this returns, a kill of the process can no longer lose it. Only on a full disk it
        waits in memory, and goes out, with all that came after it, as soon as there is room."""
        if not self._written:
            return
        self._waiting += _seal({"kind": kind, "step": step, **values})
        try:
            with open(self.path, "ab", buffering=0) as file:
                self._waiting = self._waiting[file.write(self._waiting) or 0 :]
        except OSError as error:
            if not is_full(error):
                raise

    def read(self, cursor: int = 0) -> tuple[list[dict[str, Any]], int]:
        """The records after the byte ``cursor``, and the cursor behind them. An unfinished line is left for later;
        a line whose checksum does not hold is passed over."""
        try:
            with open(self.path, "rb") as file:
                file.seek(cursor)
                data = file.read()
        except OSError:
            return [], 0
        whole = data[: data.rfind(b"\n") + 1]
        records = [record for record in map(_unseal, whole.splitlines()) if record is not None]
        return records, cursor + len(whole)

    def cut(self, step: int) -> int:
        """Drop every record after ``step``, and a torn tail, so that a resumed run does not tell a step twice.
        Returns how many records were dropped."""
        if not self._written:
            return 0
        records, _ = self.read()
        kept = [record for record in records if record["step"] <= step]
        temporary = self.path.with_suffix(".part")
        with open(temporary, "wb") as file:
            file.writelines(_seal(record) for record in kept)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path)
        return len(records) - len(kept)


def _seal(record: dict[str, Any]) -> bytes:
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return f'{body[:-1]},"crc":"{zlib.crc32(body.encode()):08x}"}}\n'.encode()


def _unseal(line: bytes) -> dict[str, Any] | None:
    body, mark, seal = line.rpartition(b',"crc":"')
    if not mark or f'{zlib.crc32(body + b"}"):08x}"}}'.encode() != seal:
        return None
    record: dict[str, Any] = json.loads(body + b"}")
    return record
