"""Step time and peak memory on this machine: one training step measured, not forecast."""

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from lab.analysis.cost import any_batch, fresh_model, step_cost
from lab.batch import losses
from lab.catalog import MODELS
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.optimizers import optimizer_of
from lab.training.process_memory import forget_the_most, held, most_held, of_the_machine, ran_out

STEPS, SECONDS = 7, 8.0  # as many as fit, but at least one after the first, which warms up


@dataclass(frozen=True)
class Measured:
    """Seconds of one step, the median; and the bytes by which the process grew, None where the system does not say."""

    seconds: float
    memory: int | None
    steps: int


@dataclass(frozen=True)
class Step:
    """Seconds of one step, and by how many bytes the process has grown at most since before the model was there."""

    seconds: float
    memory: int | None


def measure(run: Run, vocabulary: int, threads: int = 0) -> Measured:
    """Train a fresh model for a few steps: forward, backward and optimizer. In a process of its own the memory is the
    model's alone. Raises SettingsError where the model learns without gradients or does not fit into memory."""
    turns: list[Step] = []
    for step in steps(run, vocabulary, threads):
        turns.append(step)
        if len(turns) > 1 and (len(turns) > STEPS or sum(turn.seconds for turn in turns) >= SECONDS):
            break
    return Measured(statistics.median(turn.seconds for turn in turns[1:]), turns[-1].memory, len(turns) - 1)


def steps(run: Run, vocabulary: int, threads: int = 0) -> Iterator[Step]:
    """One step after another for as long as somebody asks; the first one warms up. Raises as ``measure`` does."""
    if threads:
        torch.set_num_threads(threads)
    needed = step_cost(run, vocabulary)
    if "counts" in MODELS[run.model].traits:
        raise SettingsError(
            "this model learns by counting: it has no training step", "这个模型只靠计数学习，没有训练步"
        )
    too_large = SettingsError(
        f"a step needs about {needed.training / 10**9:,.1f} GB, more than this machine has: choose smaller sizes",
        f"一步大约需要 {needed.training / 10**9:,.1f} GB 内存，超出这台机器：请减小规模",
    )
    if needed.training > of_the_machine():  # a system may promise more memory than it has, and kill who believes it
        raise too_large
    try:
        yield from _steps(run, vocabulary)
    except (MemoryError, RuntimeError) as error:
        if not ran_out(error):
            raise
        raise too_large from None


def _warm_up() -> None:
    """What the first step of a process loads is not the model's."""
    layer = torch.nn.Linear(64, 64)
    layer(torch.ones(64, 64)).sum().backward()
    torch.optim.AdamW(layer.parameters(), fused=True).step()


def _steps(run: Run, vocabulary: int) -> Iterator[Step]:
    torch.manual_seed(0)
    _warm_up()
    before, fresh = held(), forget_the_most()
    model, batch = fresh_model(run, vocabulary).train(), any_batch(run, vocabulary)
    optimizer = optimizer_of(model, run.plan, run.learning_rate)
    while True:
        started = time.perf_counter()
        loss = torch.stack(list(losses(model(batch), batch).values())).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seconds, most = time.perf_counter() - started, most_held()
        yield Step(seconds, most - before if fresh and most is not None and before is not None else None)
