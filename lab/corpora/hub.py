"""A corpus from the Hugging Face Hub: one column of a data set's tables, of which no more is fetched than is wanted.

The tables are read as a stream, one file after another in the order of their names, those for training alone where the
names tell. What was read is kept as JSON lines in the folder of the Hub's client, so that a run goes on, and another
one starts, without a network.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.files.parquet import ENDING, Parquet
from lab.corpora.files.table import Cells, cells, packed_cells, read_table
from lab.corpora.rows import distinct, texts_of
from lab.corpora.text_file import MEGABYTE, WHOLE, decode
from lab.settings import Settings, SettingsError, knob

if TYPE_CHECKING:
    from huggingface_hub import HfFileSystem

PREFIX = "hf://datasets/"
ENDINGS = (".jsonl", ".csv", ENDING)
_ADDRESS = re.compile(re.escape(PREFIX) + r"(?P<name>[\w.-]+/[\w.-]+)(@(?P<revision>[\w.-]+))?(/(?P<place>.+))?")


@dataclass(frozen=True, kw_only=True)
class HubRows(Settings):
    path: str = knob("", "Address: hf://datasets/OWNER/NAME", "地址：hf://datasets/所有者/名称")
    column: str = knob("text", "Column of the text", "文本所在的列")
    documents: int = knob(10_000, "Most documents, 0 for all", "最多读取的文档数，0 为全部", low=0, high=10**9)
    megabytes: int = knob(50, "Largest size in megabytes", "大小上限（兆字节）", low=1, high=WHOLE, step=1)

    def check(self) -> None:
        if self.path and not _ADDRESS.fullmatch(self.path):
            raise SettingsError(
                f"an address is {PREFIX}OWNER/NAME, with @REVISION and /FILE behind it if need be, not {self.path!r}",
                f"地址的格式为 {PREFIX}所有者/名称，其后可加 @版本 与 /文件，而不是 {self.path!r}",
            )


@CORPORA.add(
    "hub",
    title="Data set on the Hub",
    zh=("Hub 上的数据集", "从 Hugging Face Hub 的数据集流式读取一列文字，达到上限为止，并保存在本机。"),
    settings=HubRows,
    order=6,
    labelled=False,
    address=PREFIX,
)
def hub(s: HubRows) -> list[Document]:
    """Texts from one column of a data set on the Hugging Face Hub, streamed up to a cap and kept on this machine."""
    if not s.path:
        raise SettingsError(f"name a data set: {PREFIX}OWNER/NAME", f"请指定数据集：{PREFIX}所有者/名称")
    kept = _place(s)
    if not kept.is_file():
        _keep(kept, fetched(s))
    return distinct(texts_of(read_table(str(kept), 2 * WHOLE, [("text",)])), s.documents, s.path)


def _place(s: HubRows) -> Path:
    """Where these texts are kept: whoever asks for others keeps them elsewhere."""
    from huggingface_hub import cached_assets_path  # noqa: PLC0415  who reads no data set shall not wait for it

    asked = hashlib.sha256(json.dumps(s.dump(), sort_keys=True).encode()).hexdigest()[:32]
    return Path(cached_assets_path("cloze-lab", "datasets")) / f"{asked}.jsonl"


def _keep(place: Path, texts: Iterator[str]) -> None:
    """Write the texts: all of them, or none."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            for text in texts:
                file.write(json.dumps({"text": text}) + "\n")
        Path(partial).replace(place)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def fetched(s: HubRows) -> Iterator[str]:
    """The texts, as many and as long as the settings allow. Raises SettingsError where they cannot be had."""
    from huggingface_hub import HfFileSystem  # noqa: PLC0415

    from lab.hub import api, endpoint, in_words  # noqa: PLC0415

    asked = _ADDRESS.fullmatch(s.path)
    assert asked is not None
    name, revision, place = asked["name"], asked["revision"], asked["place"] or ""
    missing = SettingsError(
        f"there is no data set {name!r} on the Hub, or it is private", f"Hub 上没有数据集 {name!r}，或它不公开"
    )
    with in_words(name, revision, missing):
        info = api().dataset_info(name, revision=revision)
    files = wanted([sibling.rfilename for sibling in info.siblings or []], place)
    if not files:
        raise SettingsError(
            f"{name} has no {place or 'table'} that ends in {', '.join(ENDINGS)}",
            f"{name} 中没有以 {'、'.join(ENDINGS)} 结尾的{place or '表格'}",
        )
    many, room = 0, s.megabytes * MEGABYTE
    system = HfFileSystem(endpoint=endpoint(), skip_instance_cache=True)
    for file in files:
        with in_words(name, revision, missing, file):
            address = f"datasets/{name}@{info.sha}/{file}"
            for text in texts_of(_table(system, address, s.column, room)):
                many, room = many + 1, room - len(text.encode("utf-8", "surrogatepass"))
                if room < 0:
                    return
                yield text
                if many == s.documents:
                    return


def wanted(files: list[str], place: str) -> list[str]:
    """The tables among a data set's files: that one or those below it, where a place is named, else those for
    training, where the names tell which these are, else all."""
    tables = sorted(file for file in files if file.lower().endswith(ENDINGS))
    if place:
        return [file for file in tables if file == place or file.startswith(place.rstrip("/") + "/")]
    return [file for file in tables if "train" in file.lower()] or tables


def _table(system: "HfFileSystem", address: str, column: str, room: int) -> Iterator[Cells]:
    """The column's cells: of Parquet a batch of rows after another, of a text what has room."""
    with system.open(address) as file:
        if address.lower().endswith(ENDING):
            yield from packed_cells(Parquet(file, address), [(column,)])
            return
        raw = file.read(room)
        whole = raw if not file.read(1) else _rows(raw)
    yield from cells(decode(whole, Path(address)), [(column,)], name=address)


def _rows(raw: bytes) -> bytes:
    """The beginning of a table, cut behind the last line that is outside of quotation marks."""
    end = len(raw)
    while (end := raw.rfind(b"\n", 0, end)) > 0:
        if raw.lstrip()[:1] in (b"{", b"[") or raw.count(b'"', 0, end) % 2 == 0:
            return raw[:end]
    return raw
