"""A corpus from a table: each row of a JSON lines, CSV or Parquet file is one document.

A row may be cut into words, as files of tagged words are: they are joined as token classification reads them.

Duplicates are dropped, and the documents stand in the order of a digest of their text: which of them are held out for
validation then depends on their text alone, not on the order of the file or on what else is in it.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.files.faults import at_line, in_file
from lab.corpora.files.parquet import ENDING
from lab.corpora.files.table import Cells, read_table
from lab.corpora.text_file import MOST_MEGABYTES, WHOLE
from lab.examples import joined
from lab.settings import Settings, SettingsError, knob

log = logging.getLogger("lab.corpora")


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
    endings=(".jsonl", ".ndjson", ".json", ".csv", ".tsv", ENDING),
)
def rows(s: Rows) -> list[Document]:
    """Your own texts from one column of a JSON lines, CSV or Parquet file: each row is a document."""
    with in_file(s.path):
        texts = texts_of(read_table(s.path, min(s.megabytes, WHOLE), [(s.column,)]))
        return distinct(texts, s.documents, s.path)


def texts_of(cells: Iterable[Cells]) -> Iterator[str]:
    """The text in the one cell of each row, or its words as one text. Raises SettingsError where something else is."""
    for line, (cell,) in cells:
        if isinstance(cell, list) and all(isinstance(word, str) for word in cell):
            cell = joined(cell)[0]
        if not isinstance(cell, str | None):
            raise at_line(line, "has something else than text in that column", "在该列中不是文字")
        yield cell or ""


def distinct(texts: Iterable[str], most: int, path: str) -> list[Document]:
    """Each text once, as many as are wanted, in the order of their digests. Raises SettingsError if all are empty."""
    by_digest, read = dict[bytes, str](), 0
    for text in filter(str.strip, texts):
        by_digest[hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()] = text
        read += 1
    if not by_digest:
        raise SettingsError(f"{path!r} holds no text", f"{path!r} 中没有文字")
    if read > len(by_digest):
        log.warning("%d of the %d texts of %r are duplicates and were dropped", read - len(by_digest), read, path)
    return [Document(by_digest[digest]) for digest in sorted(by_digest)[: most or None]]
