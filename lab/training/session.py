"""A training session: the model, optimizer, batches and metrics log of a run, begun anew or taken up where it was."""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lab.catalog import MODELS, TASKS
from lab.data.batches import Batches
from lab.data.corpus import Tell, counted, prepare, silent
from lab.data.labelled_batches import LabelledBatches
from lab.data.reading import parts_of
from lab.inference.model import CLASSES, EACH_HEAD, Trained, build, classes_of, heads_of, inherit, tell_statistics
from lab.inference.tuning import tuned
from lab.runs import checkpoint, token_counts
from lab.runs.checkpoint import State
from lab.runs.files import write
from lab.runs.finding import find_run
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import BFLOAT16, Run
from lab.runs.snapshots import Snapshots
from lab.runs.tuning import GRADUAL
from lab.settings import SettingsError
from lab.training.budget import Budget
from lab.training.distillation import taught, teacher_of
from lab.training.early_stopping import EarlyStopping
from lab.training.gradual import levels
from lab.training.learner import Learner
from lab.training.matrix_products import by_onednn
from lab.training.optimizers import optimizer_of
from lab.training.parallel import ALONE, Group
from lab.training.wishes import Wishes


@dataclass
class Session:
    """A run under way."""

    folder: RunFolder
    group: Group
    model: nn.Module
    learner: nn.Module
    optimizer: torch.optim.Optimizer
    trained: Trained
    train_batches: Batches | LabelledBatches
    valid_batches: Batches | LabelledBatches
    log: MetricsLog
    device: torch.device
    budget: Budget
    snapshots: Snapshots
    stopping: EarlyStopping
    wishes: Wishes
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
        return {**self.budget.facts(), **self.stopping.facts(), "tokens": self.tokens}


def opened(folder: RunFolder, tell: Tell = silent, group: Group = ALONE) -> Session:
    """The run in ``folder`` as it stands: at its last checkpoint, or before its first step."""
    plan = folder.run.plan
    group.check(folder.run)
    if plan.threads:
        torch.set_num_threads(plan.threads)
    device = _device(plan.device, group.local)
    if device.type == "cpu":
        by_onednn(folder.run.settings_of("model").context)
    return _finetuning(folder, device, group) if folder.run.task else _pretraining(folder, device, group, tell)


def _pretraining(folder: RunFolder, device: torch.device, group: Group, tell: Tell) -> Session:
    run = folder.run
    with group.in_turn():
        teacher = teacher_of(folder)
        if teacher is not None and folder.tokenizer() is None:
            folder.keep_tokenizer(teacher.tokenizer)
        ready = prepare(folder, tell, early=True)
    vocabulary = ready.tokenizer.vocabulary
    # Statistics are of the training text alone: counted over the validation text they would tell of it. Of a text that
    # is still arriving there are none.
    counted_vocabulary = vocabulary if ready.arriving else counted(run, ready.train, vocabulary)
    train_batches = Batches(run, ready.train, counted_vocabulary, arriving=ready.arriving)
    valid_batches = Batches(run, ready.valid, vocabulary, validating=True)
    model = tell_statistics(build(run, vocabulary.size, classes_of(run, ())), counted_vocabulary)
    model = taught(model, teacher, vocabulary.size) if teacher else model
    if group.first and counted_vocabulary.counts is not None:
        token_counts.keep(folder, counted_vocabulary.counts)
    trained = Trained(run, model, ready.tokenizer, counts=counted_vocabulary.counts)
    teacher_model = teacher.model if teacher else None
    session = _session(folder, group, trained, train_batches, valid_batches, device, teacher_model)
    if group.first:
        _compare(session, ready.text)
    if counts(run):
        session.budget.once(math.ceil(train_batches.rows / run.plan.batch))
    return session


def _compare(session: Session, text: str) -> None:
    """Say where the text is not the one that training began with: of that one are the baselines and earlier losses."""
    path = session.folder.path / "text.json"
    if session.step == 0:
        write(path, json.dumps({"digest": text}))
    elif session.folder.document(path.name).get("digest", text) != text:
        session.log.write("event", session.step, code="changed")


def _finetuning(folder: RunFolder, device: torch.device, group: Group) -> Session:
    run = folder.run
    parent = find_run(run.parent or "", folder.path.parent)
    kept = folder.document("labels.json").get("labels", ())
    parts = parts_of(run, kept)
    tokenizer = parent.tokenizer()
    assert tokenizer is not None
    with group.in_turn():
        if not kept:
            write(folder.path / "labels.json", json.dumps({"labels": [*parts.labels]}, ensure_ascii=False))
        folder.keep_tokenizer(tokenizer)
    model = build(run, tokenizer.vocabulary.size, *heads_of(run, parts.labels))
    if not run.fresh:
        inherit(model, parent)
    train_batches, valid_batches = (
        LabelledBatches(run, part, tokenizer, parts.labels) for part in (parts.train, parts.valid)
    )
    _expect(model, train_batches.first_guess)
    model = tuned(model, run)
    frozen = checkpoint.frozen_names(model)
    if group.first:
        kept = {name: tensor for name, tensor in checkpoint.weights_of(model).items() if name in frozen}
        checkpoint.freeze(folder.path / "checkpoints", kept)
    return _session(folder, group, Trained(run, model, tokenizer, parts.labels), train_batches, valid_batches, device)


def _expect(model: nn.Module, guess: NDArray[np.float32] | None) -> None:
    """Let the new head of a model say a first guess, where it has a bias to say it with."""
    biases = dict(model.named_parameters())
    for name in (CLASSES, f"{EACH_HEAD}out."):
        if guess is not None and f"{name}bias" in biases:
            biases[f"{name}bias"].data.copy_(torch.from_numpy(guess))


def _session(
    folder: RunFolder,
    group: Group,
    trained: Trained,
    train_batches: Batches | LabelledBatches,
    valid_batches: Batches | LabelledBatches,
    device: torch.device,
    teacher: nn.Module | None = None,
) -> Session:
    plan, model = trained.run.plan, trained.model
    # The last checkpoint whose checksums hold; what a crash left half written is passed over and said.
    state, damaged = checkpoint.load(folder.path / "checkpoints")
    if state is not None:
        checkpoint.set_weights(model, state.weights)
    group.spread(model, device)
    teacher_model = teacher.to(device) if teacher else None
    task = TASKS[trained.run.task] if trained.run.task else None
    learner = group.joined(Learner(model, teacher_model, task, mixed=plan.precision == BFLOAT16, shared=group.size > 1))
    below = levels(dict(model.named_parameters())) if trained.run.tuning.how == GRADUAL else {}
    optimizer = optimizer_of(model, plan, trained.run.learning_rate, below)
    log = MetricsLog(folder.path / "metrics.jsonl", written=group.first)
    session = Session(
        folder=folder,
        group=group,
        model=model,
        learner=learner,
        optimizer=optimizer,
        trained=trained,
        train_batches=train_batches,
        valid_batches=valid_batches,
        log=log,
        device=device,
        budget=Budget(plan),
        snapshots=Snapshots(folder.path),
        stopping=EarlyStopping(trained.run.tuning.patience),
        wishes=Wishes(folder),
    )
    # What was logged behind the checkpoint will happen once more: it is cut, or the curve would run twice.
    log.cut(state.step if state else -1)
    if group.first:
        session.snapshots.cut(state.step if state else -1)
    if damaged:
        log.write("event", state.step if state else 0, code="damaged", names=damaged)
    if state is not None:
        _resume(session, state)
    return session


def _resume(session: Session, state: State) -> None:
    parameters = [parameter for group in session.optimizer.param_groups for parameter in group["params"]]
    parts = {
        name: session.group.part(tensor, parameters[int(name.partition(".")[0])])
        for name, tensor in state.optimizer.items()
    }
    checkpoint.unpack_optimizer(session.optimizer, parts)
    for device, rng_state in state.facts["rng_state"].items():
        _set_rng_state(device, torch.tensor(rng_state, dtype=torch.uint8))
    session.budget.restore(state.step, state.facts)
    session.stopping.restore(state.facts)
    session.tokens = state.facts["tokens"]
    session.log.write("event", session.step, code="resumed")


def counts(run: Run) -> bool:
    """Whether the run's model learns by counting what it reads, once."""
    return "counts" in MODELS[run.model].traits


def _set_rng_state(device: str, state: Tensor) -> None:
    """Put back the state of a device's generator, from which dropout draws."""
    torch.cuda.set_rng_state(state) if device == "cuda" else torch.set_rng_state(state)


def _device(name: str, number: int) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise SettingsError("there is no GPU here: choose the device cpu", "这里没有 GPU：请选择设备 cpu")
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    if number >= torch.cuda.device_count():
        raise SettingsError(
            f"there are {torch.cuda.device_count()} GPUs here: start as many processes, or choose the device cpu",
            f"这里有 {torch.cuda.device_count()} 块 GPU：请启动同样多的进程，或选择设备 cpu",
        )
    torch.cuda.set_device(number)  # which the collectives take
    return torch.device("cuda", number)
