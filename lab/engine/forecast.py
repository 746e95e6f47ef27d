"""What a planned run will cost on this machine: arithmetic, memory, steps and time.

The arithmetic is counted from the shape. How fast this machine does it is taken from the runs that it has finished,
and before there is one from a product of two matrices.
"""

import statistics
import time
from dataclasses import dataclass
from typing import Any

import torch

from lab.catalog import OBJECTIVES
from lab.engine.count import count
from lab.engine.run import Run, RunFolder, runs

SHARE_OF_PEAK = 0.35  # what training reaches of a plain matrix product, until a finished run tells better
BYTES = 4  # float32
PROCESS = 350 * 2**20  # a worker with torch loaded and no model


@dataclass(frozen=True)
class Forecast:
    """Times in seconds, memory in bytes."""

    parameters: int
    flops_per_token: float  # forward and backward
    steps: int
    seconds: float
    tokens: int
    memory: int
    measured: bool  # whether a finished run of this machine stands behind the time


def forecast(run: Run, vocabulary: int) -> Forecast:
    """The cost of a run whose tokenizer has ``vocabulary`` ids."""
    plan, shape = run.plan, run.settings_of("model")
    parameters = count(run.model, run.shape, vocabulary)["params"]["with_pretraining_heads"]
    flops = flops_per_token(run, vocabulary)
    per_step = plan.batch * shape.context
    rate, measured = machine_rate(run)
    step_seconds = flops * per_step / rate
    steps = plan.steps or max(1, round((plan.seconds or 0) * 0.92 / step_seconds))
    return Forecast(
        parameters=parameters,
        flops_per_token=flops,
        steps=steps,
        seconds=plan.seconds or steps * step_seconds / 0.92,
        tokens=steps * per_step,
        memory=_memory(run, shape, parameters, vocabulary),
        measured=measured,
    )


def flops_per_token(run: Run, vocabulary: int) -> float:
    """Multiplications and additions per token read, forward and twice that backward. Lookups and norms are left out."""
    shape: Any = run.settings_of("model")
    width, feed = shape.width, shape.feed or 4 * shape.width
    table = getattr(shape, "narrow", width)
    blocks = shape.depth * (8 * width**2 + 4 * width * feed + 4 * shape.context * width)
    head = _asked(run) * (2 * width * table + 2 * table * vocabulary)
    widen = 0 if table == width else 2 * table * width
    return 3.0 * (blocks + head + widen)


def machine_rate(run: Run) -> tuple[float, bool]:
    """Floating-point operations a second that training reaches here, and whether finished runs say so."""
    reached = [rate for folder in list(runs())[:20] if (rate := _reached(folder, run.plan.threads)) is not None]
    if reached:
        return statistics.median(reached[:5]), True
    return SHARE_OF_PEAK * _peak(), False


def _reached(folder: RunFolder, threads: int) -> float | None:
    result = folder.document("result.json")
    begun = folder.document("run.json")
    if result.get("steps", 0) < 20 or begun.get("training", {}).get("threads") != threads or begun.get("task"):
        return None
    try:
        run = folder.run
        tokenizer = folder.tokenizer()
    except ValueError:
        return None
    if tokenizer is None:
        return None
    return float(result["tokens_per_second"]) * flops_per_token(run, tokenizer.vocabulary.size)


def _peak() -> float:
    """Operations a second of a plain float32 matrix product: the best of a few, a few milliseconds each."""
    a = torch.ones(512, 512)
    best = 1e9
    for _ in range(5):
        started = time.perf_counter()
        a @ a
        best = min(best, time.perf_counter() - started)
    return 2 * 512**3 / best


def _asked(run: Run) -> float:
    """The share of the tokens at which logits are computed."""
    settings = run.settings_of("objective")
    return float(getattr(settings, "rate", 1.0)) if not OBJECTIVES[run.objective].extra.get("left_to_right") else 1.0


def _memory(run: Run, shape: Any, parameters: int, vocabulary: int) -> int:
    """Weights, gradients and two moments; what each block keeps for the way back; and the logits, twice."""
    feed = shape.feed or 4 * shape.width
    tokens = run.plan.batch * shape.context
    kept = tokens * (shape.depth * (12 * shape.width + 3 * feed) + 6 * shape.width)
    logits = 2 * _asked(run) * tokens * vocabulary
    return int(PROCESS + BYTES * (4 * parameters + kept + logits))
