"""How long one training step takes on this machine, and how much memory: measured, not forecast."""

import statistics
import time
from dataclasses import dataclass

import torch

from lab.batch import losses
from lab.engine.cost import any_batch, fresh_model, step_cost
from lab.engine.memory import held
from lab.engine.run import Run
from lab.settings import SettingsError

STEPS, SECONDS = 7, 8.0  # as many as fit, but at least one after the first, which warms up


@dataclass(frozen=True)
class Measured:
    """Seconds of one step, the median; and by how many bytes the process grew, None where the system does not say."""

    seconds: float
    memory: int | None
    steps: int


def measure(run: Run, vocabulary: int, threads: int = 0) -> Measured:
    """Train a fresh model for a few steps: forward, backward and optimizer. In a process of its own the memory is the
    model's alone. Raises SettingsError where the model learns without gradients or does not fit into memory."""
    if threads:
        torch.set_num_threads(threads)
    needed = step_cost(run, vocabulary)
    if needed.backward == 0:
        raise SettingsError("this model learns by counting: it has no training step", "这个模型只靠计数学习")
    try:
        return _measured(run, vocabulary)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        raise SettingsError(
            f"a step needs about {needed.training / 2**30:.1f} GB, more than this machine has: choose smaller sizes",
            f"一步大约需要 {needed.training / 2**30:.1f} GB 内存，超出这台机器：请减小尺寸",
        ) from None


def _measured(run: Run, vocabulary: int) -> Measured:
    torch.manual_seed(0)
    before = held()
    model, batch = fresh_model(run, vocabulary).train(), any_batch(run, vocabulary)
    optimizer = torch.optim.AdamW(model.parameters(), lr=run.rate, fused=True)
    times: list[float] = []
    most: list[int | None] = []
    while len(times) <= 1 or (len(times) <= STEPS and sum(times) < SECONDS):
        started = time.perf_counter()
        loss = torch.stack(list(losses(model(batch), batch).values())).sum()
        most.append(held())  # all that the way back needs is there
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        most.append(held())
        optimizer.zero_grad(set_to_none=True)
        times.append(time.perf_counter() - started)
    known = [size for size in most if size is not None]
    memory = max(known) - before if known and before is not None else None
    return Measured(statistics.median(times[1:]), memory, len(times) - 1)
