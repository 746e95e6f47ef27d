"""The run folder: a run's settings, tokenizer, metrics and checkpoints.

The folder describes itself and is the only state that matters: pages and the command line look at it. Whether a run
is under way is read off the lock that its worker holds, which the system drops when the worker dies, however it dies.
"""

import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

import filelock

from lab.runs.files import held, must_be_empty, write
from lab.runs.run import Run
from lab.runs.versions import versions
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer

SHIPPED = Path(__file__).resolve().parents[2] / "assets" / "runs"  # finished runs that come with the lab
STOP = "stop"  # somebody wants the worker to save and to end
PAUSE, PAUSED = "pause", "paused"  # after how many steps the worker is to wait, and where it does
TOKENIZER, SEAL, LOCK = "tokenizer.json", "tokenizer.json.sha256", "worker.lock"
Status = Literal["waiting", "running", "finished", "stopped", "interrupted", "failed"]
GOING = ("waiting", "running")  # the states of a run that has not ended
ENDED_EARLY = ("stopped", "interrupted", "failed")  # and of one that can go on


def home() -> Path:
    """Where runs, uploads and caches are kept: $CLOZE_LAB_HOME, else the folder ``runs`` where the lab is started."""
    return Path(os.environ.get("CLOZE_LAB_HOME") or "runs").absolute()


def hub() -> Path:
    """Where published models are kept that were fetched from the Hub, for everybody."""
    return home() / "hub"


class RunFolder:
    """A run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path).absolute()

    @classmethod
    def create(
        cls,
        run: Run,
        path: Path | None = None,
        tokenizer: Tokenizer | None = None,
        documents: Mapping[str, Any] = MappingProxyType({}),
    ) -> Self:
        """A new folder for the run, with ``documents`` by file name; nothing is left of it if that fails. A given
        tokenizer is kept with it; else the worker trains the one it names."""
        path = path or home() / f"{run.model}-{run.task or run.objective}-{uuid.uuid4().hex[:10]}"
        must_be_empty(path)
        stamped = run.dump() | {"created": time.time(), "versions": versions()}
        texts = {name: json.dumps(document, ensure_ascii=False) for name, document in documents.items()}
        texts |= sealed(tokenizer) if tokenizer else {}
        texts |= {"run.json": json.dumps(stamped, ensure_ascii=False, indent=1)}  # last: with it the run is there
        new = not path.exists()
        path.mkdir(parents=True, exist_ok=True)
        try:
            for name, text in texts.items():
                write(path / name, text)
        except BaseException:
            for name in texts:
                (path / name).unlink(missing_ok=True)
            if new:
                shutil.rmtree(path, ignore_errors=True)
            raise
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """The folder at ``path``; raises SettingsError where there is no run."""
        folder = cls(path)
        if not (folder.path / "run.json").is_file():
            raise SettingsError(f"there is no run in {path}", f"{path} 中没有训练记录")
        return folder

    @property
    def name(self) -> str:
        """The folder's own name, which is the run's id."""
        return self.path.name

    @property
    def is_shipped(self) -> bool:
        """Whether the run comes with the lab, whichever way its folder was named."""
        return self.path.resolve().parent == SHIPPED

    @property
    def is_everybodys(self) -> bool:
        """Whether the run comes with the lab, or is a published model that was fetched for all."""
        return self.path.parent in (SHIPPED, hub())

    @property
    def run(self) -> Run:
        """The run's settings, checked. Raises SettingsError where they are damaged, or of another version."""
        try:
            return _run_in(self.path / "run.json", *_version(self.path / "run.json"))
        except OSError:
            return Run.load({})

    @property
    def run_owner(self) -> str:
        """Who started the run."""
        return str(self.settings.get("owner", ""))

    @property
    def settings(self) -> dict[str, Any]:
        """The run's settings as they are written, unchecked; to be read and not to be changed."""
        try:
            return _settings_in(self.path / "run.json", *_version(self.path / "run.json"))
        except OSError:
            return {}

    @property
    def lock(self) -> filelock.FileLock:
        """What the worker holds as long as it lives."""
        return filelock.FileLock(self.path / LOCK, timeout=5)

    def document(self, name: str) -> dict[str, Any]:
        """One of the folder's JSON documents; empty where it is absent or broken."""
        return _read(self.path / name)

    def status(self) -> Status:
        """Derived from what is there, never from what somebody once wrote."""
        if self._held():
            return "running"
        ended = self.document("result.json").get("ended")
        if ended in ("finished", "stopped", "failed"):
            return ended
        return "waiting" if (self.path / "ticket").exists() else "interrupted"

    def ask_to_stop(self) -> None:
        """The worker saves, writes its result and ends after the step that it is in."""
        if not self._held():
            self.note_stop()  # before it leaves the queue: a run that neither waits nor has ended looks interrupted
        (self.path / "ticket").unlink(missing_ok=True)
        if self._held():
            write(self.path / STOP, "")

    def note_stop(self) -> None:
        """Note that a run was stopped which no worker has; an end that was noted before stays."""
        if not self.document("result.json"):
            names = (each.name.removeprefix("step-") for each in (self.path / "checkpoints").glob("step-*"))
            saved = max((int(name) for name in names if name.isdecimal()), default=0)  # by one that was killed
            write(self.path / "result.json", json.dumps({"run": self.name, "ended": "stopped", "steps": saved}))

    def asked_to_stop(self) -> bool:
        """Whether somebody has asked."""
        return (self.path / STOP).exists()

    def pause(self, after: int = 0) -> None:
        """Let the worker wait as soon as it has taken so many steps."""
        write(self.path / PAUSE, str(after))

    def go_on(self) -> None:
        """Let it wait no longer."""
        (self.path / PAUSE).unlink(missing_ok=True)

    def paused_after(self) -> int | None:
        """After how many steps the worker is to wait; None where it need not."""
        path = self.path / PAUSE
        return self._step_in(path) if path.exists() else None

    def paused_at(self) -> int | None:
        """The step after which the worker waits now; None where it does not."""
        return self._step_in(self.path / PAUSED) if self._held() else None

    def _step_in(self, path: Path) -> int | None:
        try:
            return int(path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def reopen(self) -> None:
        """Forget that the run ended, so that it can go on."""
        for name in (STOP, PAUSE, PAUSED, "result.json"):
            (self.path / name).unlink(missing_ok=True)

    def retitle(self, title: str) -> None:
        """Give the run another title; its place among the runs stays."""
        path = self.path / "run.json"
        kept = path.stat()
        write(path, json.dumps(self.document("run.json") | {"title": title}, ensure_ascii=False, indent=1))
        os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))

    def delete(self) -> None:
        """Remove the folder; a run under way must be stopped first."""
        if self.is_shipped:
            raise SettingsError("this run comes with the lab and stays", "这个训练随程序提供，不能删除")
        if self._held():
            raise SettingsError("stop the run before deleting it", "请先停止训练再删除")
        shutil.rmtree(self.path)

    def tokenizer(self) -> Tokenizer | None:
        """The run's tokenizer, or None before it has been trained. Raises SettingsError where it is damaged."""
        path, seal = self.path / TOKENIZER, self.path / SEAL
        try:
            document = path.read_bytes()
            if seal.exists() and seal.read_text(encoding="ascii") != seal_of(document):
                raise ValueError("another file than was kept")
            return _tokenizer_of(document)
        except FileNotFoundError:
            return None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # a panic of the library is no Exception
            raise SettingsError(
                f"the tokenizer of the run {self.name} is damaged: put the file back, or train the run anew",
                f"训练 {self.name} 的分词器文件已损坏：请恢复该文件或重新训练",
            ) from None

    def keep_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Keep the run's tokenizer with its checksum, which stands under the run's as the weights do."""
        for name, text in sealed(tokenizer).items():
            write(self.path / name, text)

    def _held(self) -> bool:
        return held(self.path / LOCK)


@lru_cache(maxsize=8)  # a page asks for the same ones many times over
def _tokenizer_of(document: bytes) -> Tokenizer:
    return Tokenizer.load(document.decode())


def sealed(tokenizer: Tokenizer) -> dict[str, str]:
    """A tokenizer and its checksum, by file name."""
    document = tokenizer.save()
    return {TOKENIZER: document, SEAL: seal_of(document.encode())}


def seal_of(document: bytes) -> str:
    """A checksum as ``sha256sum --check`` reads it."""
    return f"{hashlib.sha256(document).hexdigest()}  {TOKENIZER}\n"


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _version(path: Path) -> tuple[int, int, int]:
    """What changes whenever a file is written anew."""
    stat = path.stat()
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=4096)
def _settings_in(path: Path, *_version: int) -> dict[str, Any]:
    """A run's settings as they are written. They hardly ever change, and lists of runs read them all the time."""
    return _read(path)


@lru_cache(maxsize=1024)
def _run_in(path: Path, *version: int) -> Run:
    settings = _settings_in(path, *version)
    if not settings:
        name = path.parent.name
        raise SettingsError(f"the run.json of {name} is damaged", f"{name} 的 run.json 已损坏")
    return Run.load(settings)
