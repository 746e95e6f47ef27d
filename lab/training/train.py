"""The one training loop: pretraining and fine-tuning alike.

``for step in train(folder)`` is the whole interface: to stop is not to ask again. Everything that decides the numbers
is a function of the run and the step, and the rest is in the checkpoint; a run that is killed goes on from its last
checkpoint as if nothing had happened (same machine, same torch, same number of threads).
"""

import json
import math
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import filelock
import torch
from torch import nn

from lab.batch import losses
from lab.catalog import TASKS
from lab.data.batches import LAST_ROWS, Batches
from lab.data.corpus import Tell, silent
from lab.data.labelled_batches import examples_of_a_check
from lab.inference.predict import pinned_guesses
from lab.layers.discriminator import Discriminator
from lab.layers.ngrams import Counting
from lab.runs import checkpoint
from lab.runs.files import no_room, write
from lab.runs.folder import STOP, RunFolder
from lab.runs.run import IMPORTED
from lab.runs.tuning import EVALUATIONS, GRADUAL
from lab.settings import SettingsError
from lab.training.evaluate import check
from lab.training.evaluate_task import score_of
from lab.training.gradual import thaw
from lab.training.parallel import ALONE, Group
from lab.training.pausing import asked_to_pause, pause
from lab.training.process_memory import most_held
from lab.training.saving import maybe_save, save
from lab.training.session import Session, counts, opened
from lab.training.yardsticks import yardsticks

POINTS = 1000  # loss records in a run


@dataclass(frozen=True)
class Step:
    """One training step, as it happened."""

    step: int  # counted from 1
    of: int | None  # about, where the run was given seconds; None until there is a pace
    loss: float  # nats per answer; NaN where its rows happened to ask for nothing
    tokens: int  # read so far, padding not counted
    seconds: float  # spent so far


def train(
    folder: RunFolder, queued: bool = False, tell: Tell = silent, group: Group = ALONE
) -> Generator[Step, None, None]:
    """Train the run in ``folder`` until its budget is spent or somebody asks it to stop; go on where it was left.

    A ``queued`` run begins only if its ticket is still there: without one it was stopped while it waited. ``tell``
    hears how far the text is read before the first step. All processes of a ``group`` take the same steps, and the
    first writes. Yields a Step after every step. Writes the metrics log, the checkpoints, and at the end result.json.
    Raises SettingsError for what a user can put right, and when another worker holds the run.
    """
    if folder.document("run.json").get("kind") == IMPORTED:
        raise SettingsError(
            "an imported run is not trained further: fine-tune it",
            "导入的模型不能继续预训练：请对它进行微调",
        )
    if folder.is_shipped:
        raise SettingsError(
            "this run comes with the lab and stays as it is: fine-tune it, or train one of your own",
            "这个训练随程序提供，不能继续训练：请对它进行微调，或自己训练一个",
        )
    # One process holds a run at a time: two that append to one log and save over each other would leave neither run.
    with _alone(folder) if group.first else nullcontext():
        ticket = folder.path / "ticket"
        if queued and not ticket.exists():
            with suppress(OSError):  # it may be gone
                folder.note_stop()  # whoever stopped it may have taken this process for one that trains it
            return
        if not queued and group.first:
            folder.reopen()
        ticket.unlink(missing_ok=True)
        try:
            # A generator is a loop that the caller turns: command line, page and test each do as they like between two
            # steps.
            session = _begin(folder, tell, group)
            try:
                yield from _steps(session)
            except GeneratorExit:  # nobody asks for the next step: that is how one stops
                _end(session, "stopped")
                raise
            _end(session, "stopped" if _asked_to_stop(session) else "finished")
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


def _begin(folder: RunFolder, tell: Tell, group: Group) -> Session:
    session = opened(folder, tell, group)
    if session.step == 0:
        if group.first:
            # The baselines, uniform, unigram and bigram, stand in the log before the first loss.
            session.log.write("begin", 0, **yardsticks(session))
        _validate(session)
        _look_back(session)
    return session


def _steps(session: Session) -> Iterator[Step]:
    plan = session.trained.run.plan
    session.saved = time.monotonic()
    if _asked_to_stop(session):  # while the corpus was being read
        return
    while not (session.budget.spent or session.stopping.over):
        # Forward, backward, update: everything else in this loop is to notice, to keep and to stop.
        started = time.monotonic()
        parts, read, update = _optimizer_step(session, plan.batch)
        session.tokens += read
        session.budget.count(session.group.told(time.monotonic() - started))
        pausing = asked_to_pause(session)
        _record(session, parts, update, always=pausing)
        _look_back(session)
        yield Step(session.step, session.budget.total, sum(parts.values()), session.tokens, session.seconds)
        if pausing:
            pause(session)
        if _asked_to_stop(session):
            return
        maybe_save(session)


def _asked_to_stop(session: Session) -> bool:
    return bool(session.group.told(session.wishes.to_stop()))


def _optimizer_step(session: Session, size: int) -> tuple[dict[str, float], int, dict[str, float]]:
    """One step of the optimizer; the losses that add up to the one that is followed, the tokens read, and the
    learning rate and gradient norm of the update."""
    if counts(session.trained.run):
        return _counted(session, size)
    run, group = session.trained.run, session.group
    # The batch and the learning rate follow from the step alone: a run that was killed goes on as if it had not been.
    part = (group.rank, group.size)
    batch = session.train_batches.batch(session.step, size, share=part, progress=session.budget.progress)
    batch = batch.to(session.device)
    # The schedule gives a share of the highest rate: so one schedule serves every model and optimizer.
    rate = run.learning_rate * session.budget.share
    for settings in session.optimizer.param_groups:
        settings["lr"] = rate
    # Each of several processes drops out other numbers, by the seed and the step; alone, the generator goes on as it
    # is.
    group.seed(run.seed, session.step)
    session.model.train()
    # Where several processes share the rows, each loss is weighed by its answers: alone it stays as it is.
    parts, numbers = session.learner(batch)
    answers = group.totals(numbers)
    parts = group.weighed(parts, numbers, answers)
    # The losses of several objectives add up, and one way back serves them all.
    (torch.stack(list(parts.values())).sum() * run.plan.loss_factor).backward()
    if run.tuning.how == GRADUAL:
        thaw(session.optimizer, session.budget.progress)
    # One odd batch must not throw the weights far off: a gradient longer than this is shortened, not turned.
    norm = group.whole(nn.utils.clip_grad_norm_(session.model.parameters(), run.plan.clip))
    learnt = group.mean(parts)
    if not math.isfinite(sum(learnt.values())) or not math.isfinite(norm.item()):
        raise SettingsError(
            f"the loss is not finite (NaN or infinite) at step {session.step + 1}: choose a smaller learning rate",
            f"第 {session.step + 1} 步的损失不再是有限数：请减小学习率",
        )
    # A few short rows may happen to ask for no token: the mean over no answers is no loss, and least of all 0.
    learnt = {name: learnt[name] if count else math.nan for name, count in answers.items()}
    # Gradients are dropped, not zeroed: the next backward writes them anew and need not add.
    session.optimizer.step()
    session.optimizer.zero_grad(set_to_none=True)
    # Tokens read, padding not counted, are the honest measure of how much was learnt from.
    read = batch.shown.numel() if batch.real is None else int(batch.real.sum())
    if batch.source is not None:
        read += batch.source.numel() if batch.source_real is None else int(batch.source_real.sum())
    update = {"learning_rate": round(rate, 10), "gradient_norm": round(norm.item(), 6)}
    return learnt, int(group.total([read])[0]), update


@torch.no_grad()
def _counted(session: Session, size: int) -> tuple[dict[str, float], int, dict[str, float]]:
    """One step of counting: the losses on a batch that has not yet been counted, then it is."""
    assert isinstance(session.train_batches, Batches) and isinstance(session.model, Counting)
    batch = session.train_batches.batch(session.step, size, once=True).to(session.device)
    # Asked before it is counted: a model that has counted a text knows it by heart, and its loss would say nothing.
    parts = losses(session.model(batch), batch)
    session.model.count(batch)
    learnt = {name: part.item() for name, part in parts.items()} or {"tokens": math.nan}  # a row of one token asks none
    return learnt, batch.shown.numel(), {}


def _record(session: Session, parts: dict[str, float], update: dict[str, float], always: bool) -> None:
    step, total = session.step, session.budget.total
    # At most so many points in all, however long the run: a curve needs no more, and the log stays small.
    if always or total is None or step <= 20 or session.budget.passed(POINTS):
        shown = {"loss": sum(parts.values())}
        if len(parts) > 1:  # only the tokens' own loss can be held against the baselines
            shown |= {f"{name}_loss": part / _weight(session.model, name) for name, part in parts.items()}
        rounded = {name: round(value, 6) for name, value in shown.items() if not math.isnan(value)} | update
        seconds = round(session.seconds, 3)
        session.log.write("train", step, **rounded, of=total, tokens=session.tokens, seconds=seconds)
    often, plan = session.trained.run.tuning.evaluations, session.trained.run.plan
    # Much happens early and little late: the first checks come at doubling times, the rest evenly.
    doubled = session.budget.doubled() if plan.seconds else 2 < step < 2**7 and step.bit_count() == 1
    early = often >= EVALUATIONS and doubled
    evenly = session.budget.passed(often) and session.budget.affords_a_look
    if early or evenly:
        validation = _validate(session)
        if evenly and session.trained.run.task:
            session.stopping.look(step, score_of(validation, TASKS[session.trained.run.task]))


def _weight(model: nn.Module, part: str) -> float:
    """By how much a part of the loss is multiplied in the sum."""
    return model.weight if part == "detection" and isinstance(model, Discriminator) else 1.0


def _validate(session: Session) -> dict[str, Any]:
    """Validate, and ask the model about the pinned sentence; what was measured."""
    started = time.monotonic()
    # In eval mode nothing is dropped out, and validation rows are always the same: two numbers differ by the weights
    # alone.
    session.model.eval()
    run = session.trained.run
    rows = examples_of_a_check(run) if run.task else None
    measured = check(session.model, session.valid_batches, session.device, limit=rows)
    session.log.write("check", session.step, **measured)
    guesses = pinned_guesses(session.trained)
    if guesses:
        session.log.write("pinned", session.step, **guesses)
    # Validation counts in a run of so many seconds: what a visitor waits for is what the clock says.
    session.budget.looked(session.group.told(time.monotonic() - started))
    return measured


def _look_back(session: Session) -> None:
    """Keep a snapshot of the weights, where one is planned and there is time for it."""
    snapshots, group = session.snapshots, session.group
    if not snapshots.planned(session.step):
        return
    if group.told(snapshots.affordable(session.step, session.budget.whole)):
        weights = group.gathered(checkpoint.weights_of(session.model))
        session.budget.spend(group.told(snapshots.keep(session.step, weights) if group.first else 0.0))


def _end(session: Session, ended: str) -> None:
    back = ended == "finished" and _went_back(session)
    if not back and not save(session):
        raise no_room()
    # Who stops does not wait for the last look, which is at more rows.
    rows = LAST_ROWS if ended == "finished" else None
    validation = check(session.model.eval(), session.valid_batches, session.device, limit=rows)
    if not session.group.first:
        return
    result = {
        "run": session.folder.name,
        "ended": ended,
        "steps": session.step,
        "seconds": round(session.seconds, 2),
        "tokens_per_second": round(session.tokens / max(session.seconds, 1e-9), 1),
        "memory": most_held(),
        **({"best_step": session.stopping.step} if back else {}),
        "validation": validation,
    }
    write(session.folder.path / "result.json", json.dumps(result))
    session.folder.go_on()
    (session.folder.path / STOP).unlink(missing_ok=True)


def _went_back(session: Session) -> bool:
    """Whether the model has its best weights again: where a run may stop early, those stay."""
    best = session.stopping.step
    weights = checkpoint.back_to(session.folder.path / "checkpoints", best) if best else None
    if weights is not None:
        checkpoint.set_weights(session.model, weights)
    return weights is not None
