"""Imported tokenizers of visitors: each reads in a child process, since a hostile one may never end."""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.exchange.beside import FILES
from lab.exchange.headers import TOKENIZER, TOKENIZER_BYTES
from lab.exchange.tokenizer_files import bring
from lab.exchange.tokenizer_parsing import MERGES, PIECES, VOCAB
from lab.runs.files import oldest_first, write
from lab.runs.folder import home
from lab.sandbox import Limits
from lab.serve.child import call
from lab.settings import SettingsError
from lab.text import clean
from lab.tokenizer import Tokenizer, breakdown

LIMITS = Limits(seconds=10.0, processor=10, memory=2**30)  # of one reading
TAKEN = (TOKENIZER, VOCAB, MERGES, PIECES, *FILES)  # of what lies in an archive
NOTES = ".notes"  # the file beside a tokenizer's
KEPT = 40  # tokenizers; the oldest go
MOST = 300_000  # tokens; the largest published ones have some 260,000
SPECIMEN = "The cat's mat: 猫坐在垫子上。 Ünïcödé 👍 1234\n"
Spans = NDArray[np.int64]  # (T, 2)


class Brought(Tokenizer):
    """A tokenizer whose texts are read in a child process under limits."""

    file: str

    def encode_all(self, texts: Sequence[str], read: Any = None) -> list[NDArray[np.int64]]:
        return [ids for ids, _ in read_apart(self.file, tuple(texts))]

    def encode_with_spans(self, text: str) -> tuple[NDArray[np.int64], Spans]:
        return read_apart(self.file, (text,))[0]


def keep(paths: Sequence[str]) -> dict[str, Any]:
    """Keep what is in the files: a tokenizer.json, a vocab.json with its merges.txt, a vocab.txt, or a zip of such.
    Gives the ``name`` under which ``load`` and ``notes`` find it, and its ``title``.

    All of it happens in a child, and then the child reads with it as the pages will: what takes longer than LIMITS
    there would hold up everybody here.
    """
    files = sorted((Path(name) for name in paths), key=lambda path: path.suffix)
    pair = [path.suffix.lower() for path in files] == [".json", ".txt"]
    if not 1 <= len(files) <= 2 or (len(files) == 2 and not pair):
        raise SettingsError(
            "choose one tokenizer: a tokenizer.json, a vocab.json together with its merges.txt, a vocab.txt, or a zip",
            "请只选一个分词器：tokenizer.json，或 vocab.json 连同它的 merges.txt，或 vocab.txt，或 zip",
        )
    if not all(path.is_file() for path in files):
        raise SettingsError("the upload did not arrive: choose the file again", "上传未完成：请重新选择文件")
    late = (
        f"this tokenizer takes more than {LIMITS.seconds:.0f} seconds to read: it was not taken",
        f"读取这个分词器超过 {LIMITS.seconds:.0f} 秒，没有接受",
    )
    taken: dict[str, Any] = call("lab.serve.brought:take", [*map(str, files)], pair, limits=LIMITS, late=late)
    for old, _ in oldest_first(_folder().glob("*-brought.json"))[:-KEPT]:
        old.unlink(missing_ok=True)
        old.with_suffix(NOTES).unlink(missing_ok=True)
    return {**taken, "title": " + ".join(path.name for path in files)}


def take(paths: list[str], pair: bool) -> dict[str, Any]:
    """What ``keep`` asks of the child."""
    first, *second = map(Path, paths)
    with TemporaryDirectory() as place:
        source = _unpacked(first, Path(place)) if first.suffix.lower() == ".zip" else first
        tokenizer, notes = bring(source, second[0] if pair else None, confined=True)
    many = tokenizer.vocabulary.size
    if many > MOST:
        raise SettingsError(
            f"this tokenizer has {many:,} tokens; at most {MOST:,} are taken here",
            f"这个分词器有 {many:,} 个词元，这里最多接受 {MOST:,} 个",
        )
    document = tokenizer.save()
    again = Tokenizer.load(document)
    again.pieces(again.encode(SPECIMEN).tolist())
    name = hashlib.sha256(document.encode()).hexdigest()[:32] + "-brought"
    _folder().mkdir(parents=True, exist_ok=True)
    write(_folder() / f"{name}.json", document)
    write(_folder() / f"{name}{NOTES}", json.dumps([list(note) for note in notes], ensure_ascii=False))
    return {"name": name}


def _unpacked(archive: Path, place: Path) -> Path:
    """The folder ``place`` with what an archive holds of a tokenizer, whatever folders it lies in there."""
    try:
        with zipfile.ZipFile(archive) as packed:
            for member in packed.infolist():
                name = Path(member.filename).name
                if name in TAKEN and not (place / name).exists():
                    with packed.open(member) as inside:  # no more of it than may be read, whatever the archive claims
                        (place / name).write_bytes(inside.read(TOKENIZER_BYTES + 1))
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, NotImplementedError):
        raise SettingsError("this is no zip that can be read", "这不是可以读取的 zip 文件") from None
    if not any((place / name).exists() for name in (TOKENIZER, VOCAB, PIECES)):
        raise SettingsError(
            f"the zip holds neither {TOKENIZER} nor {VOCAB} nor {PIECES}",
            f"这个 zip 里既没有 {TOKENIZER}，也没有 {VOCAB} 或 {PIECES}",
        )
    if not (place / TOKENIZER).exists() and (place / VOCAB).exists() and not (place / MERGES).exists():
        raise SettingsError(f"the zip holds {VOCAB} without {MERGES}", f"这个 zip 里只有 {VOCAB}，没有 {MERGES}")
    return place


def load(name: str) -> Tokenizer:
    """A tokenizer by the name that ``keep`` gave it."""
    path = _folder() / f"{name}.json"
    if not name.endswith("-brought") or not name.replace("-", "").isalnum() or not path.is_file():
        raise SettingsError("your tokenizer is no longer kept here: bring it again", "你的分词器已不在这里：请重新上传")
    return _load(str(path))


def notes(name: str) -> list[list[str]]:
    """What was to be said of a tokenizer when it came, each note in English and in Chinese."""
    try:
        said: list[list[str]] = json.loads((_folder() / f"{name}{NOTES}").read_text(encoding="utf-8"))
        return said
    except OSError:
        return []


@lru_cache(maxsize=8)
def _load(path: str) -> Tokenizer:
    tokenizer = Tokenizer.load(Path(path).read_text(encoding="utf-8"))
    brought = Brought(tokenizer.inner, tokenizer.kind, tokenizer.roles, tokenizer.vocabulary.size)
    brought.file = path
    return brought


@lru_cache(maxsize=64)
def read_apart(path: str, texts: tuple[str, ...]) -> list[tuple[NDArray[np.int64], Spans]]:
    """The ids of each text, and the characters that each covers."""
    encoded = call("lab.serve.brought:encode", path, [clean(text) for text in texts], limits=LIMITS)
    return [(np.array(ids, dtype=np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2)) for ids, spans in encoded]


def encode(path: str, texts: list[str]) -> list[Any]:
    """What ``read_apart`` asks of the child."""
    tokenizer = Tokenizer.load(Path(path).read_text(encoding="utf-8"))
    try:
        encoded = [tokenizer.encode_with_spans(text) for text in texts]
    except BaseException:  # a panic of the library is no Exception
        raise breakdown() from None
    return [[ids.tolist(), spans.tolist()] for ids, spans in encoded]


def _folder() -> Path:
    return home() / "cache"
