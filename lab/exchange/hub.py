"""Download from the Hugging Face Hub: one revision, its config, tokenizer and safetensors, nothing else.

What is fetched must be as large as the Hub says, have the digest that it says, and is deleted when it was read.
"""

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi
from tqdm import tqdm

from lab.exchange.headers import (
    CONFIG,
    CONFIG_BYTES,
    HEADER_BYTES,
    INDEX,
    SHARDS,
    SINGLE,
    TOKENIZER,
    TOKENIZER_BYTES,
    shards,
)
from lab.hub import PATIENCE, api, in_words
from lab.settings import SettingsError

_ID = re.compile(r"(?!.*(\.\.|--))[A-Za-z0-9_][\w.-]{0,95}(/[A-Za-z0-9_][\w.-]{0,95})?", re.ASCII)

Progress = Callable[[int, int], None]  # bytes so far, bytes in all


@dataclass(frozen=True)
class Model:
    """A model's files on this machine, and the commit that they are from."""

    folder: Path
    revision: str


@dataclass(frozen=True)
class Offered:
    """A file as the Hub describes it."""

    name: str
    size: int
    sha256: str | None  # of a large file
    blob: str | None  # git's digest of a small one


def is_hub_id(word: str) -> bool:
    """Whether the word can be a model's name on the Hub."""
    return _ID.fullmatch(word) is not None


@contextmanager
def fetched(name: str, revision: str | None, most: int, room: Path, progress: Progress) -> Iterator[Model]:
    """The model's files in a folder below ``room`` that is gone afterwards. Weights of more than ``most`` bytes are
    refused before anything is fetched. Raises SettingsError where they cannot be had."""
    room.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="hub-", dir=room))
    client = api()
    try:
        with in_words(name, revision, _missing(name)):
            info = client.model_info(name, revision=revision, files_metadata=True, timeout=PATIENCE)
        offered = {entry.name: entry for entry in map(_offered, info.siblings or [])}
        wanted = [
            _small(offered, name, file, bytes_)
            for file, bytes_ in ((CONFIG, CONFIG_BYTES), (TOKENIZER, TOKENIZER_BYTES))
        ]
        if SINGLE in offered:
            weights = [offered[SINGLE]]
        else:
            index = _index(offered, name)
            _fetch(client, name, info.sha, [index], folder, lambda done, of: None)
            weights = [_listed(offered, file) for file in shards(folder)]
        size = sum(entry.size for entry in weights)
        if size > most:
            raise SettingsError(
                f"the weights of {name} have {size / 1e9:,.1f} GB; at most {most / 1e9:,.1f} GB are fetched here",
                f"{name} 的权重共 {size / 1e9:,.1f} GB，这里最多下载 {most / 1e9:,.1f} GB",
            )
        _roomy(folder, size)
        _fetch(client, name, info.sha, [*wanted, *weights], folder, progress)
        yield Model(folder, str(info.sha))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _offered(sibling: Any) -> Offered:
    lfs = sibling.lfs
    sha256 = (lfs.get("sha256") if isinstance(lfs, dict) else getattr(lfs, "sha256", None)) if lfs else None
    return Offered(sibling.rfilename, int(sibling.size or 0), sha256, sibling.blob_id)


def _small(offered: dict[str, Offered], name: str, file: str, most: int) -> Offered:
    if file not in offered:
        raise SettingsError(f"{name} has no {file} on the Hub", f"Hub 上的 {name} 没有 {file}")
    if offered[file].size > most:
        raise SettingsError(
            f"the {file} of {name} has {offered[file].size:,} bytes; {most:,} are the most",
            f"{name} 的 {file} 有 {offered[file].size:,} 字节，最多 {most:,} 字节",
        )
    return offered[file]


def _index(offered: dict[str, Offered], name: str) -> Offered:
    if INDEX not in offered:
        raise SettingsError(
            f"{name} has no safetensors on the Hub: other formats can hide programs and are not read",
            f"Hub 上的 {name} 没有 safetensors 权重：其他格式可能藏有程序，不予读取",
        )
    return _small(offered, name, INDEX, HEADER_BYTES)


def _listed(offered: dict[str, Offered], file: str) -> Offered:
    if file not in offered:
        raise SettingsError(f"{INDEX} names {file}, which is not on the Hub", f"{INDEX} 中的 {file} 不在 Hub 上")
    return offered[file]


def _roomy(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if 2 * size > free:  # as they come, and once more as a run
        raise SettingsError(
            f"the disk has {free / 1e9:,.1f} GB left; this model needs {2 * size / 1e9:,.1f} GB",
            f"磁盘只剩 {free / 1e9:,.1f} GB，导入这个模型需要 {2 * size / 1e9:,.1f} GB",
        )


def _fetch(client: HfApi, name: str, revision: Any, files: list[Offered], folder: Path, progress: Progress) -> None:
    done, of = 0, sum(entry.size for entry in files)

    class Progress(tqdm):  # the client draws its own bars, one a file, unless it is given something that says less
        def __init__(self, *words: Any, **more: Any) -> None:
            super().__init__(disable=True)

        def update(self, n: float | None = 1) -> None:
            nonlocal done
            done += int(n or 0)
            progress(done, of)

    assert len(files) <= SHARDS + 2
    for file in files:
        with in_words(name, revision, _missing(name), file.name):
            path = client.hf_hub_download(
                name, file.name, revision=revision, local_dir=folder, etag_timeout=PATIENCE, tqdm_class=Progress
            )
        if not _as_offered(Path(path), file):
            raise SettingsError(
                f"{file.name} of {name} is not the file that the Hub describes: its checksum is wrong",
                f"{name} 的 {file.name} 与 Hub 的描述不符：校验和错误",
            )


def _as_offered(path: Path, file: Offered) -> bool:
    """Whether a file has the digest that the Hub states: the contents' own, or git's."""
    if path.stat().st_size != file.size or not (file.sha256 or file.blob):
        return False
    digest = hashlib.sha256() if file.sha256 else hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as opened:
        while chunk := opened.read(2**20):
            digest.update(chunk)
    return digest.hexdigest() == (file.sha256 or file.blob)


def _missing(name: str) -> SettingsError:
    return SettingsError(
        f"there is no folder {name!r} here and no such model on the Hub, or it is private",
        f"这里没有文件夹 {name!r}，Hub 上也没有这个模型，或它不公开",
    )
