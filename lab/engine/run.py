"""A run: what is trained on what, with which seed; and the folder in which it lives.

The folder describes itself and is the only state that matters: pages and the command line look at it. Whether a run
is under way is read off the lock that its worker holds, which the system drops when the worker dies, however it dies.
"""

import contextlib
import hashlib
import json
import os
import platform
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

import filelock
import numpy
import tokenizers
import torch

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TASKS, TOKENIZERS, missing
from lab.entries import ModelEntry, ObjectiveEntry, TaskEntry
from lab.published import OPTIMIZERS, SCHEDULES
from lab.settings import Settings, SettingsError, knob
from lab.vocab import Tokenizer

PACKINGS = ANYWHERE, FULL_SENTENCES, DOC_SENTENCES = ("anywhere", "full_sentences", "doc_sentences")
TOKENIZER, SEAL = "tokenizer.json", "tokenizer.json.sha256"
IMPORTED = "imported"  # the kind of a run, and of a tokenizer, that were made elsewhere
Status = Literal["waiting", "running", "finished", "stopped", "interrupted", "failed"]


@dataclass(frozen=True, kw_only=True)
class Training(Settings):
    """How long and how fast a run learns. The budget is a number of steps, or of seconds that the clock counts."""

    steps: int | None = knob(None, "Steps", "训练步数", low=1, high=10_000_000)
    seconds: float | None = knob(None, "Seconds", "训练秒数", low=1, high=1_000_000)
    batch: int = knob(32, "Batch size: rows per step", "批次大小：每步样本数", low=1, high=4096)
    rate: float | None = knob(
        None, "Learning rate, the model's own if left out", "学习率，缺省为模型的默认值", low=1e-6, high=1.0
    )
    warmup: float = knob(0.05, "Share of steps to warm up", "预热步数比例", low=0.0, high=0.9, step=0.01)
    decay: float = knob(0.01, "Weight decay", "权重衰减", low=0.0, high=1.0)
    packing: str = knob(
        ANYWHERE,
        "Packing: rows of text end anywhere, between sentences, or at the end of a document too",
        "打包方式：每行文字止于任意处、句子之间，或不跨文档的句子之间",
        choices=PACKINGS,
    )
    clip: float = knob(1.0, "Gradient clipping: largest norm", "梯度裁剪：范数上限", low=0.01, high=1000.0)
    optimizer: str = knob("adamw", "Optimizer", "优化器", choices=OPTIMIZERS)
    schedule: str = knob("linear", "Learning rate schedule", "学习率调度", choices=SCHEDULES)
    floor: float = knob(0.0, "Share of the learning rate left at the end", "结束时剩余的学习率比例", low=0.0, high=1.0)
    beta1: float = knob(0.9, "Beta 1: memory of the gradient", "beta 1：梯度的记忆", low=0.0, high=0.999, step=0.001)
    beta2: float = knob(
        0.98, "Beta 2: memory of its square", "beta 2：梯度平方的记忆", low=0.0, high=0.9999, step=0.001
    )
    epsilon: float = knob(1e-8, "Epsilon of the optimizer", "优化器的 epsilon", low=1e-20, high=1.0)
    deviation: float | None = knob(
        None,
        "Standard deviation of the first weights, by the width if left out",
        "初始权重的标准差，缺省时随宽度而定",
        low=1e-4,
        high=1.0,
    )
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)
    device: str = knob("auto", "Device", "设备", choices=("auto", "cpu", "cuda"))

    def check(self) -> None:
        if (self.steps is None) == (self.seconds is None):
            raise SettingsError("give the run either steps or seconds", "请为训练指定步数或秒数，二者选一")


@dataclass(frozen=True, kw_only=True)
class Run(Settings):
    """Everything that decides a run's numbers, and what is worth knowing about where it came from."""

    kind: str = knob("pretrain", "Kind", "类型", choices=("pretrain", "finetune", IMPORTED))
    model: str
    shape: dict[str, Any] = field(default_factory=dict)
    objective: str = "mlm"  # a token objective; for fine-tuning, the one that the parent was trained with
    objective_settings: dict[str, Any] = field(default_factory=dict)
    pair: str | None = None
    pair_settings: dict[str, Any] = field(default_factory=dict)
    task: str | None = None
    corpus: str = ""  # an imported run has none
    corpus_settings: dict[str, Any] = field(default_factory=dict)
    tokenizer: str = IMPORTED
    tokenizer_settings: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    seed: int = knob(0, "Seed", "随机种子", low=0, high=2**31 - 1)
    parent: str | None = None  # the run that fine-tuning starts from
    teacher: str | None = None  # the run whose model a pretrained one learns from, and whose tokenizer it takes
    neighbours: str | None = None  # the run whose vectors told its tokenizer which tokens are similar
    fresh: bool = False  # fine-tuning with the parent's shape and tokenizer, but from random weights
    title: str = ""
    owner: str = ""
    pinned: str = ""  # a sentence whose predictions are recorded while the run learns
    truths: list[str] = field(default_factory=list)  # what stands in its gaps, or goes on, where that is known
    created: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        model, objective = MODELS[self.model], OBJECTIVES[self.objective]
        self.settings_of("model")  # all settings are parsed here, at the door, and kept
        if self.kind != IMPORTED and self.plan.packing != ANYWHERE and (self.pair or self.task):
            raise SettingsError(
                f"packing {self.plan.packing} is for a text without pairs or labels: leave one of them out",
                f"packing {self.plan.packing} 只用于没有句对和标签的文本：请去掉其中之一",
            )
        _must_fit(model, objective)
        if objective.stage != "token":
            raise SettingsError(
                f"{self.objective} asks about pairs: give it as the pair objective, beside a token objective",
                f"{self.objective} 是句对目标：请把它作为句对目标，另选一个词元目标",
            )
        if self.pair is not None:
            _must_fit(model, OBJECTIVES[self.pair])
            if OBJECTIVES[self.pair].stage != "pair" or objective.frame != "bounded":
                raise SettingsError(
                    f"{self.pair} cannot stand beside {self.objective}", f"{self.pair} 不能与 {self.objective} 并用"
                )
        if self.task is not None:
            _must_fit(model, TASKS[self.task])
        if self.teacher is not None and (self.pair or self.task or objective.left_to_right):
            raise SettingsError(
                "from a teacher one learns to fill gaps, and nothing beside it: leave the other objective out",
                "向老师只能学填空，不能同时学别的：请去掉其他目标",
            )

    @cached_property
    def plan(self) -> Training:
        """The training settings."""
        return Training.load(self.training)

    @property
    def rate(self) -> float:
        """The highest learning rate of the run: the one that it names, else the one that suits its model."""
        return float(self.plan.rate or MODELS[self.model].rate)

    def settings_of(self, what: Literal["model", "objective", "pair", "corpus", "tokenizer"]) -> Any:
        """The checked settings of one of the run's parts."""
        if what not in self._parts:
            raise SettingsError(f"this run has no {what} of its own", f"这个训练没有自己的 {what}")
        return self._parts[what]

    @cached_property
    def _parts(self) -> dict[str, Settings]:
        found: dict[str, Settings] = {
            "model": MODELS[self.model].settings.load(self.shape),
            "objective": OBJECTIVES[self.objective].settings.load(self.objective_settings),
        }
        if self.pair is not None:
            found["pair"] = OBJECTIVES[self.pair].settings.load(self.pair_settings)
        if self.kind != IMPORTED:
            found["corpus"] = CORPORA[self.corpus].settings.load(self.corpus_settings)
        if self.tokenizer != IMPORTED:
            found["tokenizer"] = TOKENIZERS[self.tokenizer].settings.load(self.tokenizer_settings)
        return found


def _must_fit(model: ModelEntry, objective: ObjectiveEntry | TaskEntry) -> None:
    lacking = ", ".join(sorted(missing(model, objective)))
    if lacking:
        raise SettingsError(
            f"{objective.title} needs a model that has: {lacking}; {model.title} has not",
            f"{objective.title_zh} 需要模型具备：{lacking}；{model.title_zh} 没有",
        )


def home() -> Path:
    """Where runs, uploads and caches are kept: $CLOZE_LAB_HOME, else the folder ``runs`` where the lab is started."""
    return Path(os.environ.get("CLOZE_LAB_HOME") or "runs").absolute()


SHIPPED = Path(__file__).resolve().parents[2] / "assets" / "runs"  # finished runs that come with the lab


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
        if path.exists() and any(path.iterdir()):
            raise SettingsError(f"{path} is not empty", f"{path} 不是空文件夹")
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
        return filelock.FileLock(self.path / "worker.lock", timeout=5)

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
        (self.path / "ticket").unlink(missing_ok=True)
        if self._held():
            write(self.path / "stop", "")
        elif not self.document("result.json"):
            write(self.path / "result.json", json.dumps({"run": self.name, "ended": "stopped", "steps": 0}))

    def asked_to_stop(self) -> bool:
        """Whether somebody has asked."""
        return (self.path / "stop").exists()

    def reopen(self) -> None:
        """Forget that the run ended, so that it can go on."""
        for name in ("stop", "result.json"):
            (self.path / name).unlink(missing_ok=True)

    def retitle(self, title: str) -> None:
        """Give the run another title; its place among the runs stays."""
        path = self.path / "run.json"
        kept = path.stat()
        write(path, json.dumps(self.document("run.json") | {"title": title}, ensure_ascii=False, indent=1))
        os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))

    def delete(self) -> None:
        """Remove the folder; a run under way must be stopped first."""
        if self.path.parent == SHIPPED:
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
            return Tokenizer.load(document.decode())
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
        if not (self.path / "worker.lock").exists():
            return False
        lock = filelock.FileLock(self.path / "worker.lock", timeout=0.02)  # others may be asking at this instant
        try:
            with lock.acquire(poll_interval=0.002):
                return False
        except filelock.Timeout:
            return True


def sealed(tokenizer: Tokenizer) -> dict[str, str]:
    """A tokenizer and its checksum, by file name."""
    document = tokenizer.save()
    return {TOKENIZER: document, SEAL: seal_of(document.encode())}


def seal_of(document: bytes) -> str:
    """A checksum as ``sha256sum --check`` reads it."""
    return f"{hashlib.sha256(document).hexdigest()}  {TOKENIZER}\n"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


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
    found = _settings_in(path, *version)
    if not found:
        name = path.parent.name
        raise SettingsError(f"the run.json of {name} is damaged", f"{name} 的 run.json 已损坏")
    return Run.load(found)


def runs(root: Path | None = None) -> Iterator[RunFolder]:
    """All runs below ``root``, the newest first."""
    root = root or home()
    begun = {}
    for path in root.glob("*/run.json"):
        with contextlib.suppress(FileNotFoundError):  # deleted this very moment
            begun[path.parent] = path.stat().st_mtime
    yield from (RunFolder(path) for path in sorted(begun, key=lambda path: -begun[path]))


def find_run(name: str, root: Path | None = None) -> RunFolder:
    """A run by the path of its folder, by its name among ``runs``, or by the name of one that comes with the lab."""
    if (Path(name) / "run.json").is_file():
        return RunFolder.open(Path(name))
    if name and Path(name).name == name and name not in (".", ".."):
        for folder in ((root or home()) / name, SHIPPED / name):
            if (folder / "run.json").is_file():
                return RunFolder.open(folder)
    raise SettingsError(f"there is no run {name!r}", f"没有名为 {name!r} 的训练")


def versions() -> dict[str, str]:
    """What a run's numbers depend on besides its settings."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "tokenizers": tokenizers.__version__,
        "machine": platform.machine(),
    }


def write(path: Path, text: str) -> None:
    """Write a small file so that a reader, or a power cut, finds the old one or the new one, never half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex[:6]}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
