"""A training session: the model, optimizer, batches and metrics log of a run, begun anew or taken up where it was."""

import json
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lab.catalog import CORPORA, MODELS, OBJECTIVES
from lab.data.batches import Batches, LabelledBatches
from lab.data.corpus import Tell, counted, labelled_parts, prepare, silent
from lab.data.template import given
from lab.inference.model import Trained, acquainted, build, classes_of, inherit
from lab.runs import checkpoint
from lab.runs.files import write
from lab.runs.folder import RunFolder, find_run
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.runs.snapshots import Snapshots
from lab.settings import SettingsError
from lab.training.budget import Budget
from lab.training.distillation import taught, teacher_of
from lab.training.optimizers import optimizer_of


@dataclass
class Session:
    """A run under way."""

    folder: RunFolder
    model: nn.Module
    optimizer: torch.optim.Optimizer
    trained: Trained
    train_batches: Batches | LabelledBatches
    valid_batches: Batches | LabelledBatches
    log: MetricsLog
    device: torch.device
    budget: Budget
    snapshots: Snapshots
    teacher: nn.Module | None = None
    tokens: int = 0
    saved: float = 0.0
    cost: float = 0.0

    @property
    def step(self) -> int:
        """How many steps there have been."""
        return self.budget.step

    @property
    def seconds(self) -> float:
        """How long they have taken, with validations and saves."""
        return self.budget.seconds

    def facts(self) -> dict[str, Any]:
        """The plain part of the state."""
        return {**self.budget.facts(), "tokens": self.tokens}


def opened(folder: RunFolder, tell: Tell = silent) -> Session:
    """The run in ``folder`` as it stands: at its last checkpoint, or before its first step."""
    run = folder.run
    plan = run.plan
    if plan.threads:
        torch.set_num_threads(plan.threads)
    device = _device(plan.device)
    session = _classifying(folder, device) if run.task else _pretraining(folder, device, tell)
    _resume(session)
    return session


def _pretraining(folder: RunFolder, device: torch.device, tell: Tell) -> Session:
    teacher = teacher_of(folder)
    if teacher is not None and folder.tokenizer() is None:
        folder.keep_tokenizer(teacher.tokenizer)
    run, ready = folder.run, prepare(folder, tell)
    vocabulary = ready.tokenizer.vocabulary
    counted_vocabulary = counted(run, ready.train, vocabulary)
    train_batches = Batches(run, ready.train, counted_vocabulary)
    valid_batches = Batches(run, ready.valid, vocabulary, validating=True)
    model = acquainted(build(run, vocabulary.size, classes_of(run, ())), counted_vocabulary)
    model = taught(model, teacher, vocabulary.size) if teacher else model
    session = _session(folder, Trained(run, model.to(device), ready.tokenizer), train_batches, valid_batches, device)
    session.teacher = teacher.model.to(device) if teacher else None
    if counts(run):
        session.budget.once(math.ceil(train_batches.rows / run.plan.batch))
    return session


def _classifying(folder: RunFolder, device: torch.device) -> Session:
    run = folder.run
    parent = find_run(run.parent or "", folder.path.parent)
    train_part, check_part = labelled_parts(run)
    numbers = {document.label for document in (*train_part, *check_part) if document.label is not None}
    labels = class_names(folder, sorted(numbers))
    tokenizer = parent.tokenizer()
    assert tokenizer is not None
    folder.keep_tokenizer(tokenizer)
    visible = given(OBJECTIVES[run.objective])
    model = build(run, tokenizer.vocabulary.size, len(labels))
    if not run.fresh:
        inherit(model, parent)
    train_batches = LabelledBatches(run, train_part, tokenizer, visible)
    valid_batches = LabelledBatches(run, check_part, tokenizer, visible)
    return _session(folder, Trained(run, model.to(device), tokenizer, labels), train_batches, valid_batches, device)


def class_names(folder: RunFolder, numbers: list[int]) -> tuple[str, ...]:
    """The names of the classes, kept with the run: those that its corpus gives them, else their numbers."""
    kept = folder.document("labels.json").get("labels")
    if kept:
        return tuple(kept)
    run = folder.run
    given = CORPORA[run.corpus].classes or [str(label) for label in numbers]
    names = given(run.settings_of("corpus")) if callable(given) else given
    write(folder.path / "labels.json", json.dumps({"labels": list(names)}, ensure_ascii=False))
    return tuple(names)


def _session(
    folder: RunFolder,
    trained: Trained,
    train_batches: Batches | LabelledBatches,
    valid_batches: Batches | LabelledBatches,
    device: torch.device,
) -> Session:
    plan = trained.run.plan
    optimizer = optimizer_of(trained.model, plan, trained.run.learning_rate)
    log = MetricsLog(folder.path / "metrics.jsonl")
    budget, snapshots = Budget(plan), Snapshots(folder.path)
    return Session(
        folder, trained.model, optimizer, trained, train_batches, valid_batches, log, device, budget, snapshots
    )


def _resume(session: Session) -> None:
    state, damaged = checkpoint.load(session.folder.path / "checkpoints")
    session.log.cut(state.step if state else -1)
    session.snapshots.cut(state.step if state else -1)
    if damaged:
        session.log.write("event", state.step if state else 0, code="damaged", names=damaged)
    if state is None:
        return
    checkpoint.set_weights(session.model, state.weights)
    checkpoint.unpack_optimizer(session.optimizer, state.optimizer)
    for device, rng_state in state.facts["rng_state"].items():
        _set_rng_state(device, torch.tensor(rng_state, dtype=torch.uint8))
    session.budget.restore(state.step, state.facts)
    session.tokens = state.facts["tokens"]
    session.log.write("event", session.step, code="resumed")


def counts(run: Run) -> bool:
    """Whether the run's model learns by counting what it reads, once."""
    return "counts" in MODELS[run.model].traits


def _set_rng_state(device: str, state: Tensor) -> None:
    """Put back the state of a device's generator, from which dropout draws."""
    torch.cuda.set_rng_state(state) if device == "cuda" else torch.set_rng_state(state)


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise SettingsError("there is no GPU here: choose the device cpu", "这里没有 GPU：请选择设备 cpu")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
