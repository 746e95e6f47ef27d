"""The one training loop: pretraining and fine-tuning alike.

``for step in train(folder)`` is the whole interface: to stop is not to ask again. Everything that decides the numbers
is a function of the run and the step, and the rest is in the checkpoint; a run that is killed goes on from its last
checkpoint as if nothing had happened (same machine, same torch, same number of threads).
"""

import json
import math
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import filelock
import torch
from torch import Tensor, nn

from lab.batch import losses
from lab.catalog import CORPORA, MODELS, OBJECTIVES
from lab.engine import checkpoint
from lab.engine.ask import pinned_guesses
from lab.engine.budget import Budget
from lab.engine.checkpoint import State
from lab.engine.corpus import counted, documents_of, labelled_split, prepare
from lab.engine.data import Feed, LabelledFeed
from lab.engine.distil import lesson, taught, teacher_of
from lab.engine.evaluate import baselines_of, check, majority
from lab.engine.frames import given
from lab.engine.memory import most_held
from lab.engine.metrics import Diary
from lab.engine.model import Trained, acquainted, build, classes_of, inherit
from lab.engine.run import IMPORTED, Run, RunFolder, find_run, write
from lab.layers.grams import Counting
from lab.settings import SettingsError

CHECKS = 20  # validations in a run
POINTS = 1000  # loss records in a run
SAVE_SECONDS = 10.0
SAVE_SHARE = 0.03  # saving may take this share of the time


@dataclass(frozen=True)
class Step:
    """One training step, as it happened."""

    step: int  # counted from 1
    of: int | None  # None until a budget in seconds has become steps
    loss: float  # nats per answer
    tokens: int  # read so far, padding not counted
    seconds: float  # spent so far


@dataclass
class Session:
    """A run under way."""

    folder: RunFolder
    model: nn.Module
    optimizer: torch.optim.Optimizer
    trained: Trained
    feed: Feed | LabelledFeed
    checks: Feed | LabelledFeed
    diary: Diary
    device: torch.device
    budget: Budget
    teacher: nn.Module | None = None
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    saved: float = 0.0
    cost: float = 0.0

    def facts(self) -> dict[str, Any]:
        """The plain part of the state."""
        return {**self.budget.facts(), "tokens": self.tokens, "seconds": self.seconds}


def train(folder: RunFolder, queued: bool = False) -> Generator[Step, None, None]:
    """Train the run in ``folder`` until its budget is spent or somebody asks it to stop; go on where it was left.

    A ``queued`` run begins only if its ticket is still there: without one it was stopped while it waited. Yields a
    Step after every step. Writes the diary, checkpoints, and at the end result.json. Raises SettingsError for what a
    user can put right, and when another worker holds the run.
    """
    if folder.document("run.json").get("kind") == IMPORTED:
        raise SettingsError(
            "an imported run is not trained further: fine-tune it",
            "导入的模型不能继续预训练：请对它进行微调",
        )
    with _alone(folder):
        ticket = folder.path / "ticket"
        if queued and not ticket.exists():
            return
        if not queued:
            folder.reopen()
        ticket.unlink(missing_ok=True)
        try:
            session = _begin(folder)
            try:
                yield from _steps(session)
            except GeneratorExit:  # nobody asks for the next step: that is how one stops
                _end(session, "stopped")
                raise
            _end(session, "stopped" if folder.asked_to_stop() else "finished")
        except SettingsError as error:
            failure = {"run": folder.name, "ended": "failed", "en": error.en, "zh": error.zh}
            with suppress(OSError):  # where the disk is full, the run counts as interrupted
                write(folder.path / "result.json", json.dumps(failure, ensure_ascii=False))
            raise


@contextmanager
def _alone(folder: RunFolder) -> Iterator[None]:
    try:
        with folder.lock:
            yield
    except filelock.Timeout:
        raise SettingsError("this run is being trained already", "这个训练正在进行中") from None


def _begin(folder: RunFolder) -> Session:
    run = folder.run
    plan = run.plan
    if plan.threads:
        torch.set_num_threads(plan.threads)
    device = _device(plan.device)
    session = _classifying(folder, device) if run.task else _pretraining(folder, device)
    _resume(session)
    if session.step == 0:
        session.diary.write("begin", 0, **_yardsticks(session))
        _look(session)
    return session


def _pretraining(folder: RunFolder, device: torch.device) -> Session:
    teacher = teacher_of(folder)
    if teacher is not None and folder.tokenizer() is None:
        write(folder.path / "tokenizer.json", teacher.tokenizer.save())
    run, ready = folder.run, prepare(folder)
    vocabulary = ready.tokenizer.vocabulary
    known = counted(run, ready.train, vocabulary)
    feed = Feed(run, ready.train, known)
    checks = Feed(run, ready.valid, vocabulary, checking=True)
    model = acquainted(build(run, vocabulary.size, classes_of(run, ())), known)
    model = taught(model, teacher, vocabulary.size) if teacher else model
    session = _session(folder, Trained(run, model.to(device), ready.tokenizer), feed, checks, device)
    session.teacher = teacher.model.to(device) if teacher else None
    if counts(run):
        session.budget.once(math.ceil(feed.rows / run.plan.batch))
    return session


def _classifying(folder: RunFolder, device: torch.device) -> Session:
    run = folder.run
    parent = find_run(run.parent or "", folder.path.parent)
    documents = documents_of(run)
    labels = class_names(folder, sorted({document.label for document in documents if document.label is not None}))
    train_part, check_part = labelled_split(documents)
    tokenizer = parent.tokenizer()
    assert tokenizer is not None
    write(folder.path / "tokenizer.json", tokenizer.save())
    visible = given(OBJECTIVES[run.objective])
    model = build(run, tokenizer.vocabulary.size, len(labels))
    if not run.fresh:
        inherit(model, parent)
    feed = LabelledFeed(run, train_part, tokenizer, visible)
    checks = LabelledFeed(run, check_part, tokenizer, visible)
    return _session(folder, Trained(run, model.to(device), tokenizer, labels), feed, checks, device)


def class_names(folder: RunFolder, numbers: list[int]) -> tuple[str, ...]:
    """The names of the classes, kept with the run: those that its corpus gives them, else their numbers."""
    known = folder.document("labels.json").get("labels")
    if known:
        return tuple(known)
    run = folder.run
    given = CORPORA[run.corpus].extra.get("classes") or [str(label) for label in numbers]
    names = given(run.settings_of("corpus")) if callable(given) else given
    write(folder.path / "labels.json", json.dumps({"labels": list(names)}, ensure_ascii=False))
    return tuple(names)


def _session(
    folder: RunFolder, trained: Trained, feed: Feed | LabelledFeed, checks: Feed | LabelledFeed, device: torch.device
) -> Session:
    plan = trained.run.plan
    matrices = [p for p in trained.model.parameters() if p.dim() > 1]
    vectors = [p for p in trained.model.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": plan.decay}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=trained.run.rate, betas=(0.9, 0.98), eps=1e-8, fused=True)
    diary = Diary(folder.path / "metrics.jsonl")
    return Session(folder, trained.model, optimizer, trained, feed, checks, diary, device, Budget(plan))


def _resume(session: Session) -> None:
    state, damaged = checkpoint.load(session.folder.path / "checkpoints")
    session.diary.cut(state.step if state else -1)
    if damaged:
        session.diary.write("event", state.step if state else 0, code="damaged", names=damaged)
    if state is None:
        return
    checkpoint.set_weights(session.model, state.weights)
    checkpoint.unpack_optimizer(session.optimizer, state.optimizer)
    for device, chance in state.facts["chance"].items():
        _set_chance(device, torch.tensor(chance, dtype=torch.uint8))
    session.budget.restore(state.facts)
    session.step, session.tokens, session.seconds = state.step, state.facts["tokens"], state.facts["seconds"]
    session.diary.write("event", session.step, code="resumed")


def _steps(session: Session) -> Iterator[Step]:
    plan = session.trained.run.plan
    session.saved = time.monotonic()
    if session.folder.asked_to_stop():  # while the corpus was being read
        return
    while not session.budget.spent(session.step, session.seconds):
        started = time.monotonic()
        parts, read = _one(session, plan.batch)
        session.step += 1
        session.tokens += read
        session.seconds += time.monotonic() - started
        session.budget.count(session.step, session.seconds)
        _record(session, parts)
        yield Step(session.step, session.budget.total, sum(parts.values()), session.tokens, session.seconds)
        if session.folder.asked_to_stop():
            return
        _maybe_save(session)


def _one(session: Session, size: int) -> tuple[dict[str, float], int]:
    """One step of the optimizer; the losses that add up to the one that is followed, and the tokens read."""
    if counts(session.trained.run):
        return _counted(session, size)
    plan = session.trained.run.plan
    batch = session.feed.batch(session.step, size).to(session.device)
    for group in session.optimizer.param_groups:
        group["lr"] = session.trained.run.rate * session.budget.share(session.step + 1)
    session.model.train()
    if session.teacher is None:
        parts = losses(session.model(batch), batch)
    else:
        parts = lesson(session.model, session.teacher, batch)
    loss = torch.stack(list(parts.values())).sum()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(session.model.parameters(), plan.clip)
    if not math.isfinite(loss.item()) or not math.isfinite(norm.item()):
        raise SettingsError(
            f"the loss is no longer a number at step {session.step + 1}: choose a smaller learning rate",
            f"第 {session.step + 1} 步的损失不再是有限数：请减小学习率",
        )
    session.optimizer.step()
    session.optimizer.zero_grad(set_to_none=True)
    read = batch.shown.numel() if batch.real is None else int(batch.real.sum())
    if batch.source is not None:
        read += batch.source.numel() if batch.source_real is None else int(batch.source_real.sum())
    return {name: part.item() for name, part in parts.items()}, read


@torch.no_grad()
def _counted(session: Session, size: int) -> tuple[dict[str, float], int]:
    """One step of counting: the losses on a batch that has not yet been counted, then it is."""
    assert isinstance(session.feed, Feed) and isinstance(session.model, Counting)
    batch = session.feed.batch(session.step, size, once=True).to(session.device)
    parts = losses(session.model(batch), batch)
    session.model.count(batch)
    return {name: part.item() for name, part in parts.items()}, batch.shown.numel()


def counts(run: Run) -> bool:
    """Whether the run's model learns by counting what it reads, once."""
    return "counts" in MODELS[run.model].traits


def _record(session: Session, parts: dict[str, float]) -> None:
    step, total = session.step, session.budget.total
    if total is None or step <= 20 or step % max(total // POINTS, 1) == 0 or step == total:
        known = {"loss": sum(parts.values())}
        if len(parts) > 1:  # only the tokens' own loss can be held against the baselines
            known |= {f"{name}_loss": part for name, part in parts.items()}
        rounded = {name: round(value, 6) for name, value in known.items()}
        seconds = round(session.seconds, 3)
        session.diary.write("train", step, **rounded, of=total, tokens=session.tokens, seconds=seconds)
    early = step < 2**7 and step.bit_count() == 1 and step > 2
    if early or (total and (step % max(total // CHECKS, 1) == 0 or step == total)):
        _look(session)


def _look(session: Session) -> None:
    """Validate, and ask the model about the pinned sentence."""
    started = time.monotonic()
    session.model.eval()
    session.diary.write("check", session.step, **check(session.model, session.checks, session.device))
    guesses = pinned_guesses(session.trained)
    if guesses:
        session.diary.write("pinned", session.step, **guesses)
    session.seconds += time.monotonic() - started


def _yardsticks(session: Session) -> dict[str, Any]:
    """What the run's losses are to be held against, and how large everything is."""
    feed, checks = session.feed, session.checks
    if isinstance(feed, LabelledFeed):
        assert isinstance(checks, LabelledFeed)
        yardsticks = majority(feed, checks)
    else:
        assert isinstance(checks, Feed)
        yardsticks = baselines_of(feed, checks)
    parameters = sum(p.numel() for p in session.model.parameters())
    return {"baselines": yardsticks, "parameters": parameters, "rows": feed.rows, "vocabulary": feed.vocabulary.size}


def _maybe_save(session: Session) -> None:
    now = time.monotonic()
    if now - session.saved > max(SAVE_SECONDS, session.cost / SAVE_SHARE):
        _save(session)
        session.saved = time.monotonic()
        session.cost = session.saved - now


def _save(session: Session) -> bool:
    """Save; a full disk is written into the diary, and the run goes on with the checkpoint it has."""
    weights = {name: tensor.cpu() for name, tensor in checkpoint.weights_of(session.model).items()}
    chance = {"cpu": torch.get_rng_state().tolist()}
    if session.device.type == "cuda":
        chance["cuda"] = torch.cuda.get_rng_state().tolist()
    state = State(
        session.step, weights, checkpoint.pack_optimizer(session.optimizer), session.facts() | {"chance": chance}
    )
    try:
        checkpoint.save(session.folder.path / "checkpoints", state)
    except OSError as error:
        session.diary.write("event", session.step, code="unsaved", reason=error.strerror or "")
        return False
    return True


def _end(session: Session, ended: str) -> None:
    if not _save(session):
        raise SettingsError("the disk is full: free some space and resume the run", "磁盘已满：请清出空间后继续训练")
    validation = check(session.model.eval(), session.checks, session.device, limit=2048 if ended == "finished" else 64)
    result = {
        "run": session.folder.name,
        "ended": ended,
        "steps": session.step,
        "seconds": round(session.seconds, 2),
        "tokens_per_second": round(session.tokens / max(session.seconds, 1e-9), 1),
        "memory": most_held(),
        "validation": validation,
    }
    write(session.folder.path / "result.json", json.dumps(result))
    (session.folder.path / "stop").unlink(missing_ok=True)


def _set_chance(device: str, state: Tensor) -> None:
    """Put back the state of a device's generator, from which dropout draws."""
    torch.cuda.set_rng_state(state) if device == "cuda" else torch.set_rng_state(state)


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise SettingsError("there is no GPU here: choose the device cpu", "这里没有 GPU：请选择设备 cpu")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
