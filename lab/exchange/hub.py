"""Download from the Hugging Face Hub: one revision, its config, tokenizer and safetensors, nothing else.

What is fetched must be as large as the Hub says, have the digest that it says, and is deleted when it was read. Where a
model was published in another format, the Hub's own service may have converted it, in a pull request that nobody has
merged: its safetensors are then taken from there, as transformers does.
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

from lab.exchange.beside import FILES
from lab.exchange.headers import (
    CONFIG,
    CONFIG_BYTES,
    GENERATION,
    HEADER_BYTES,
    INDEX,
    SHARDS,
    SINGLE,
    TOKENIZER,
    TOKENIZER_BYTES,
    shards,
    sized,
)
from lab.exchange.tokenizer_parsing import MERGES, PIECES, VOCAB
from lab.hub import PATIENCE, api, in_words
from lab.settings import SettingsError

_ID = re.compile(r"(?!.*(\.\.|--))[A-Za-z0-9_][\w.-]{0,95}(/[A-Za-z0-9_][\w.-]{0,95})?", re.ASCII)
_PIECE = re.compile(r"model-\d+-of-\d+\.safetensors")
CONVERTER, CONVERSION = "SFconvertbot", "Adding `safetensors` variant of this model"  # whose request, and its title

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


@dataclass(frozen=True)
class Offer:
    """What the Hub has under a name: one commit and its files."""

    name: str
    revision: str
    files: dict[str, Offered]

    @property
    def weights(self) -> list[Offered]:
        """The files with the weights; none where there are no safetensors."""
        single = [self.files[SINGLE]] if SINGLE in self.files else []
        return single or [file for name, file in sorted(self.files.items()) if _PIECE.fullmatch(name)]

    @property
    def has_weights(self) -> bool:
        """Whether there are safetensors."""
        return INDEX in self.files or bool(self.weights)

    @property
    def size(self) -> int:
        """The bytes of the weights."""
        return sum(file.size for file in self.weights)

    @property
    def tokenizer(self) -> list[Offered]:
        """The files of the tokenizer that is to be read: its one document, or a vocabulary and what stands beside it.
        Raises SettingsError where there is none."""
        for names in ((TOKENIZER,), (VOCAB, MERGES), (PIECES,)):
            if all(name in self.files for name in names):
                files = [_small(self.files[name], self.name, TOKENIZER_BYTES) for name in names]
                also = [self.files[name] for name in FILES if name in self.files]
                beside = [_small(file, self.name, CONFIG_BYTES) for file in also]
                return files if TOKENIZER in names else files + beside
        raise SettingsError(
            f"{self.name} has no {TOKENIZER} on the Hub, nor {VOCAB} with {MERGES}, nor {PIECES}",
            f"Hub 上的 {self.name} 没有 {TOKENIZER}，也没有 {VOCAB} 与 {MERGES}，也没有 {PIECES}",
        )

    def optional(self, name: str) -> list[Offered]:
        """A small file, where there is one: nothing is lost without it."""
        return [file for file in [self.files.get(name)] if file is not None and file.size <= CONFIG_BYTES]


def is_hub_id(word: str) -> bool:
    """Whether the word can be a model's name on the Hub."""
    return _ID.fullmatch(word) is not None


def not_on_the_hub(word: str) -> SettingsError:
    """What is to be said of a word that cannot be a model's name there."""
    return SettingsError(
        f"{word[:100]!r} is no name of a model on the Hub, such as google-bert/bert-base-uncased",
        f"{word[:100]!r} 不是 Hub 上的模型名，例如 google-bert/bert-base-uncased",
    )


def offered(name: str, revision: str | None = None, missing: SettingsError | None = None) -> Offer:
    """What the Hub has under a name, of its newest commit or of ``revision``; nothing is fetched. Raises SettingsError
    where it cannot be asked, or has no such model: ``missing``, if that is given."""
    if not is_hub_id(name):
        raise not_on_the_hub(name)
    client = api()
    unknown = SettingsError(f"the Hub has no model {name!r}, or it is private", f"Hub 上没有模型 {name!r}，或它不公开")
    with in_words(name, revision, missing or unknown):
        offer = _described(client, name, revision)
        if not offer.has_weights:
            converted = _conversion(client, name)
            offer = _described(client, name, converted) if converted else offer
    return offer


def _described(client: HfApi, name: str, revision: str | None) -> Offer:
    info = client.model_info(name, revision=revision, files_metadata=True, timeout=PATIENCE)
    files = {file.name: file for file in map(_offered, info.siblings or [])}
    return Offer(name, str(info.sha), files)


def _conversion(client: HfApi, name: str) -> str | None:
    """The pull request of the Hub's own service that holds the model's weights as safetensors."""
    requests = client.get_repo_discussions(name, author=CONVERTER, discussion_type="pull_request")
    fitting = (request for request in requests if request.author == CONVERTER and request.title == CONVERSION)
    return next((str(request.git_reference) for request in fitting if request.git_reference), None)


@contextmanager
def fetched(name: str, revision: str | None, most: int, room: Path, progress: Progress) -> Iterator[Model]:
    """The model's files in a folder below ``room`` that is gone afterwards. Weights of more than ``most`` bytes are
    refused before anything is fetched. Raises SettingsError where they cannot be had."""
    room.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="hub-", dir=room))
    try:
        offer = offered(name, revision, _missing(name))
        fetch(offer, folder, most, progress)
        yield Model(folder, offer.revision)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fetch(offer: Offer, folder: Path, most: int, progress: Progress) -> list[Offered]:
    """Bring an offer's configs, tokenizer and weights into ``folder``, and what is there of them already is not fetched
    again; gives the files of weights. Raises SettingsError as ``fetched``."""
    client, name = api(), offer.name
    folder.mkdir(parents=True, exist_ok=True)
    if CONFIG not in offer.files:
        raise SettingsError(f"{name} has no {CONFIG} on the Hub", f"Hub 上的 {name} 没有 {CONFIG}")
    wanted = [_small(offer.files[CONFIG], name, CONFIG_BYTES), *offer.optional(GENERATION), *offer.tokenizer]
    if SINGLE in offer.files:
        weights = offer.weights
    else:
        _fetch(client, offer, [_index(offer)], folder, lambda done, of: None)
        weights = [_listed(offer, file) for file in shards(folder)]
    size = sum(file.size for file in weights)
    if size > most:
        raise SettingsError(
            f"the weights of {name} have {sized(size)}; at most {sized(most)} are fetched here",
            f"{name} 的权重共 {sized(size)}，这里最多下载 {sized(most)}",
        )
    _roomy(folder, size)
    _fetch(client, offer, [*wanted, *weights], folder, progress)
    return weights


def fetch_tokenizer(offer: Offer, folder: Path, progress: Progress) -> list[Path]:
    """Bring an offer's tokenizer alone into ``folder``; gives its files."""
    files = offer.tokenizer
    folder.mkdir(parents=True, exist_ok=True)
    _fetch(api(), offer, files, folder, progress)
    return [folder / file.name for file in files]


def _offered(sibling: Any) -> Offered:
    lfs = sibling.lfs
    sha256 = (lfs.get("sha256") if isinstance(lfs, dict) else getattr(lfs, "sha256", None)) if lfs else None
    return Offered(sibling.rfilename, int(sibling.size or 0), sha256, sibling.blob_id)


def _small(file: Offered, name: str, most: int) -> Offered:
    if file.size > most:
        raise SettingsError(
            f"the {file.name} of {name} has {file.size:,} bytes; {most:,} are the most",
            f"{name} 的 {file.name} 有 {file.size:,} 字节，最多 {most:,} 字节",
        )
    return file


def _index(offer: Offer) -> Offered:
    if INDEX not in offer.files:
        raise no_safetensors(offer.name)
    return _small(offer.files[INDEX], offer.name, HEADER_BYTES)


def no_safetensors(name: str) -> SettingsError:
    """What is to be said of a model whose weights are published in other formats alone."""
    return SettingsError(
        f"{name} has no safetensors on the Hub: other formats can hide programs and are not read",
        f"Hub 上的 {name} 没有 safetensors 权重：其他格式可能藏有程序，不予读取",
    )


def _listed(offer: Offer, file: str) -> Offered:
    if file not in offer.files:
        raise SettingsError(f"{INDEX} names {file}, which is not on the Hub", f"{INDEX} 中的 {file} 不在 Hub 上")
    return offer.files[file]


def _roomy(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if 2 * size > free:  # as they come, and once more as a run
        raise SettingsError(
            f"the disk has {free / 1e9:,.1f} GB left; this model needs {2 * size / 1e9:,.1f} GB",
            f"磁盘只剩 {free / 1e9:,.1f} GB，导入这个模型需要 {2 * size / 1e9:,.1f} GB",
        )


def _fetch(client: HfApi, offer: Offer, files: list[Offered], folder: Path, progress: Progress) -> None:
    name, done, of = offer.name, 0, sum(entry.size for entry in files)

    class Progress(tqdm):  # the client draws its own bars, one a file, unless it is given something that says less
        def __init__(self, *words: Any, initial: float = 0, **more: Any) -> None:
            super().__init__(disable=True)
            self.update(initial)  # what had come before the connection was cut

        def update(self, n: float | None = 1) -> None:
            nonlocal done
            done += int(n or 0)
            progress(done, of)

    assert len(files) <= SHARDS + 4
    for file in files:
        if (folder / file.name).exists() and _as_offered(folder / file.name, file):
            done += file.size
            continue
        with in_words(name, offer.revision, _missing(name), file.name):
            path = client.hf_hub_download(
                name, file.name, revision=offer.revision, local_dir=folder, etag_timeout=PATIENCE, tqdm_class=Progress
            )
        if not _as_offered(Path(path), file):
            Path(path).unlink()  # so that it is fetched anew
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
