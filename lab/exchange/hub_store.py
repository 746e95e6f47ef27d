"""Published models kept on this machine: each fetched once, for everybody, and there without a network ever after.

A model becomes a run like any imported one, in the folder ``hub`` among the runs, under its name on the Hub. While it
comes, a folder whose name opens with a dot holds what has come, how far it is and whether it is to stop; the lock in it
is the fetching process's. What was cut off goes on where it was.
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import filelock

from lab.exchange.hub import Offer, Progress, fetch, fetch_tokenizer, is_hub_id, not_on_the_hub, offered
from lab.exchange.hub_models import hub_model
from lab.exchange.importing import bring
from lab.exchange.tokenizer_files import files_of, published_files_of
from lab.runs.checkpoint import newest
from lab.runs.files import held, is_full, write
from lab.runs.finding import runs
from lab.runs.folder import RunFolder, hub
from lab.settings import SettingsError

SOURCE, PROGRESS, STOP, FAILED, LOCK = "source.json", "progress.json", "stop", "failed.json", "fetch.lock"
TOKENIZERS = "tokenizers"  # the folder of the tokenizers as they were published
BEAT = 0.3  # seconds between two reports


def run_id(name: str) -> str:
    """The id of the run that a model becomes: no name on the Hub has two hyphens in a row."""
    return name.replace("/", "--")


def kept() -> Iterator[RunFolder]:
    """The published models that are here, the newest first."""
    yield from (folder for folder in runs(hub()) if newest(folder.path / "checkpoints"))


def kept_as(name: str) -> RunFolder | None:
    """A published model, if it is here."""
    return next((folder for folder in kept() if folder.name == run_id(name)), None)


def size_of(folder: RunFolder) -> int:
    """The bytes that a kept model takes on the disk."""
    return sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())


def wanted(name: str, revision: str | None = None) -> Offer:
    """What the Hub has of a model: of the lab's own list at the commit that stands there."""
    listed = hub_model(name)
    return offered(listed.name if listed else name, revision or (listed.revision if listed else None))


def fetch_and_keep(name: str, revision: str | None, most: int, progress: Progress = lambda done, of: None) -> RunFolder:
    """Bring a model from the Hub onto this machine as a run, unless it is here. Weights of more than ``most`` bytes are
    refused. Raises SettingsError where it cannot be had, or somebody has asked to stop, or fetches it already."""
    there = kept_as(name)
    if there is None and not is_hub_id(name):
        raise not_on_the_hub(name)
    if there is not None:
        commit = str(there.document(SOURCE).get("revision", ""))
        if revision not in (None, commit):
            raise SettingsError(
                f"{name} is here already, of the commit {commit[:12]}: delete it first to have another one",
                f"{name} 已在这里，版本为 {commit[:12]}：要换版本请先删除它",
            )
        return there
    work = _work(name)
    work.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(work / LOCK, timeout=0.1):  # others may be asking at this instant
            for left in (FAILED, STOP, PROGRESS):
                (work / left).unlink(missing_ok=True)
            try:
                place = _made(wanted(name, revision), work, most, progress)
            except BaseException as error:
                _write_failure(work, error)
                raise
    except filelock.Timeout:
        raise SettingsError(
            f"{name} is being fetched already: wait until it is here", f"{name} 正在下载中：请稍候"
        ) from None
    shutil.rmtree(work, ignore_errors=True)
    return RunFolder.open(place)


def _made(offer: Offer, work: Path, most: int, progress: Progress) -> Path:
    """The run's folder, made of what the Hub offers."""
    place, files = hub() / run_id(offer.name), work / offer.revision
    weights = fetch(offer, files, most, _Reporting(work, progress))
    shutil.rmtree(work / place.name, ignore_errors=True)  # half made, and then killed
    brought = bring(files, work / place.name, title=offer.name, most=most)
    _keep_tokenizer(published_files_of(files), hub() / TOKENIZERS / place.name)
    source = {
        "name": offer.name,
        "revision": offer.revision,
        "sha256": {file.name: file.sha256 or file.blob for file in weights},
        "fetched": time.time(),
        "notes": [{"en": en, "zh": zh} for en, zh in brought.notes],
    }
    write(brought.folder.path / SOURCE, json.dumps(source, ensure_ascii=False))
    shutil.rmtree(place, ignore_errors=True)
    brought.folder.path.rename(place)
    return place


def _write_failure(work: Path, error: BaseException) -> None:
    """Leave a sentence where ``state_of`` finds it, and whoever asked has left."""
    if isinstance(error, SettingsError):
        sentence = {"en": error.en, "zh": error.zh}
    elif isinstance(error, OSError) and is_full(error):
        sentence = {"en": "the disk is full: free some space and try again", "zh": "磁盘已满：请清理后重试"}
    elif isinstance(error, MemoryError):
        sentence = {"en": "there is not enough memory for this model", "zh": "内存不足，无法读取这个模型"}
    else:
        sentence = {"en": "the fetch was ended before the model was here", "zh": "模型尚未下载完成，进程就结束了"}
    with suppress(OSError):
        write(work / FAILED, json.dumps(sentence, ensure_ascii=False))


class _Reporting:
    """Writes down how far a fetch is, now and then, and hears whether it is to stop."""

    def __init__(self, work: Path, also: Progress) -> None:
        self._work, self._also, self._told = work, also, 0.0

    def __call__(self, done: int, of: int) -> None:
        self._also(done, of)
        now = time.monotonic()
        if now - self._told < BEAT and done < of:
            return
        self._told = now
        with suppress(OSError):
            write(self._work / PROGRESS, json.dumps({"done": done, "of": of}))
        if (self._work / STOP).exists():
            raise SettingsError("stopped: the next fetch goes on from here", "已停止：下次从这里继续下载")


def tokenizer_files(name: str, progress: Progress = lambda done, of: None) -> list[Path]:
    """The files of a published tokenizer on this machine, fetched unless they are here. Raises SettingsError where they
    cannot be had."""
    place = hub() / TOKENIZERS / run_id(name)
    if not place.is_dir():
        offer = wanted(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=place.parent) as work:
            _keep_tokenizer(fetch_tokenizer(offer, Path(work), progress), place)
    return files_of(place)


def _keep_tokenizer(files: Sequence[Path], place: Path) -> None:
    """Put a tokenizer's files where they stay: all of them at once."""
    made = place.with_name(f".{place.name}-{os.getpid()}-{time.monotonic_ns()}")
    made.mkdir(parents=True)
    try:
        for path in files:
            shutil.copyfile(path, made / path.name)
        made.rename(place)
    except OSError:
        if not place.is_dir():  # somebody else was faster
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def state_of(name: str) -> dict[str, Any]:
    """How far a model is: ``is`` "here", "coming" with ``done`` of ``of`` bytes, "failed" with its sentence in ``en``
    and ``zh``, or "absent"."""
    work = _work(name)
    under_way = held(work / LOCK)  # asked first: a fetch that ends after this has kept its model
    if kept_as(name) is not None:
        return {"is": "here"}
    if under_way:
        return {"is": "coming", "done": 0, "of": 0, **_document(work / PROGRESS)}
    failed = _document(work / FAILED)
    return {"is": "failed", **failed} if failed else {"is": "absent"}


def coming() -> list[str]:
    """The ids of the models that are being fetched."""
    return [lock.parent.name[1:] for lock in hub().glob(f".*/{LOCK}") if held(lock)]


def ask_to_stop(name: str) -> None:
    """The fetching process ends at its next report; what has come stays for the next time."""
    if held(_work(name) / LOCK):
        with suppress(FileNotFoundError):  # it has ended meanwhile
            write(_work(name) / STOP, "")


def forget(name: str) -> bool:
    """Remove a model that was kept, or what has come of it; whether all of it was there. Raises SettingsError where
    there is nothing of it."""
    there = kept_as(name)
    if there is None and not is_hub_id(name):  # "", "." or "..": the folder of all models, or what is around it
        raise not_on_the_hub(name)
    if held(_work(name) / LOCK):
        raise SettingsError(f"{name} is being fetched: stop that first", f"{name} 正在下载：请先停止")
    if there is None and not _work(name).exists():
        raise SettingsError(f"there is no published model {name!r} here", f"这里没有已发布的模型 {name!r}")
    for path in (hub() / run_id(name), hub() / TOKENIZERS / run_id(name), _work(name)):
        shutil.rmtree(path, ignore_errors=True)
    return there is not None


def _work(name: str) -> Path:
    return hub() / f".{run_id(name)}"


def _document(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return document
    except (OSError, ValueError):
        return {}
