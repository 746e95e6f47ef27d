"""What a planned run will cost on this machine: arithmetic, memory, steps and time.

The arithmetic is counted from the shape. How fast this machine does it is taken from the runs that it has finished,
those first whose steps were about as large, and before there is one from a product of two matrices.
"""

import math
import re
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import torch

from lab.catalog import MODELS, OBJECTIVES
from lab.engine.count import count, tensors
from lab.engine.metrics import Diary
from lab.engine.run import Run, RunFolder, find_run, runs
from lab.settings import SettingsError

Shapes = Sequence[tuple[int, ...]]

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
    rate, measured = machine_rate(run.plan.threads, flops * per_step)
    step_seconds = flops * per_step / rate
    steps = plan.steps or max(1, round((plan.seconds or 0) * 0.92 / step_seconds))
    return Forecast(
        parameters=parameters,
        flops_per_token=flops,
        steps=steps,
        seconds=plan.seconds or steps * step_seconds / 0.92,
        tokens=steps * per_step,
        memory=memory(run, vocabulary),
        measured=measured,
    )


def flops_per_token(run: Run, vocabulary: int) -> float:
    """Multiplications and additions per token read, forward and twice that backward; a teacher reads forward only.
    Lookups and norms are left out."""
    return 3.0 * _forward(run, vocabulary, _asked(run)) + _teaching(run, vocabulary)


def _forward(run: Run, vocabulary: int, asked: float) -> float:
    shape: Any = run.settings_of("model")
    width = getattr(shape, "width", 1)  # one number for each token, where it has no vector
    block, head, rest = _matrices(run, vocabulary)
    answers = 0 if any(rows == vocabulary for rows, _ in head) else vocabulary * getattr(shape, "narrow", width)
    share = _written(run)  # of a context that a decoder writes
    maps = sum(math.prod(each) * (share if _writes(name) else 1.0) for name, each in block.items())
    looks = hasattr(shape, "heads") * (1 + share**2 + share if any(map(_writes, block)) else 1.0)  # 0: no attention
    blocks = getattr(shape, "depth", 0) * (2 * maps + 4 * looks * shape.context * width)
    return float(blocks + asked * 2 * (_size(head) + answers) + 2 * _size(rest) + _own_costs(run)[0])


def _teaching(run: Run, vocabulary: int) -> float:
    """What it costs to hear a teacher at every token; nothing where there is none any more."""
    if run.teacher is None:
        return 0.0
    try:
        return _forward(find_run(run.teacher).run, vocabulary, 1.0)
    except SettingsError:
        return 0.0


def _own_costs(run: Run) -> tuple[float, float]:
    """What the model costs for each token beyond the maps of its blocks, as its entry says: operations forward, and
    numbers kept for the way back."""
    own = MODELS[run.model].extra.get("costs")
    return own(run.settings_of("model")) if own else (0.0, 0.0)


def _matrices(run: Run, vocabulary: int) -> tuple[dict[str, tuple[int, ...]], Shapes, Shapes]:
    """The shapes of the maps of one block by name, of those that answer about tokens, and of those in between."""
    facts = [fact for fact in tensors(run.model, run.shape, vocabulary) if len(fact.shape) > 1]
    block = {
        re.sub(r"\.\d+\.", ".", fact.name): fact.shape
        for fact in facts
        if ".blocks." in fact.name and ".table." not in fact.name
    }
    small = any(fact.name.startswith("generator.") for fact in facts)  # answers in place of the model's own head
    asked = "generator.head." if small else "head."
    head = [fact.shape for fact in facts if fact.name.startswith(asked)]
    rest = [fact.shape for fact in facts if ".project." in fact.name or (small and fact.name.startswith("head."))]
    return block, head, rest


def _writes(name: str) -> bool:
    """Whether a map works on what a decoder writes, rather than on what is read; keys of the source are read."""
    return name.startswith("decoder.") and ".cross.kv." not in name


def _written(run: Run) -> float:
    """How long an answer is, as a share of the context: 1 where nothing but the text itself is answered."""
    extra, context = OBJECTIVES[run.objective].extra, run.settings_of("model").context
    return float(extra["target"](context, run.settings_of("objective")) / context) if "target" in extra else 1.0


def _size(shapes: Iterable[tuple[int, ...]]) -> int:
    return sum(math.prod(shape) for shape in shapes)


def machine_rate(threads: int, step: float) -> tuple[float, bool]:
    """Floating-point operations a second that training with so many threads reaches here in steps of about ``step``
    operations, and whether finished runs say so."""
    reached = [found for folder in list(runs())[:40] if (found := _reached(folder, threads)) is not None]
    if reached:
        alike = sorted(reached, key=lambda pair: abs(math.log(pair[0] / step)))
        return statistics.median(rate for _, rate in alike[:3]), True
    return SHARE_OF_PEAK * _peak() * min(threads or torch.get_num_threads(), torch.get_num_threads()), False


def _reached(folder: RunFolder, threads: int) -> tuple[float, float] | None:
    try:
        stamp = (folder.path / "result.json").stat().st_mtime_ns
    except OSError:
        return None
    return _read(folder.path, stamp, threads)


@lru_cache(maxsize=512)
def _read(path: Path, _stamp: int, threads: int) -> tuple[float, float] | None:
    """Operations in one step and in one second of a run that has ended."""
    folder = RunFolder(path)
    result, begun = folder.document("result.json"), folder.document("run.json")
    if result.get("steps", 0) < 20 or begun.get("training", {}).get("threads") != threads or begun.get("task"):
        return None
    records, _ = Diary(path / "metrics.jsonl").read()
    vocabulary = next((record["vocabulary"] for record in records if record["kind"] == "begin"), None)
    try:
        run = folder.run
    except ValueError:
        return None  # written by another version of the lab
    if vocabulary is None or run.plan.device == "cuda":
        return None
    flops = flops_per_token(run, vocabulary)
    return flops * run.plan.batch * run.settings_of("model").context, flops * float(result["tokens_per_second"])


@cache
def _peak() -> float:
    """Operations a second and thread of a plain float32 matrix product: the best of a few of a few milliseconds."""
    a = torch.ones(512, 512)
    best = 1e9
    for _ in range(5):
        started = time.perf_counter()
        a @ a
        best = min(best, time.perf_counter() - started)
    return 2 * 512**3 / best / torch.get_num_threads()


def _asked(run: Run) -> float:
    """The share of the tokens at which logits are computed."""
    if run.task:
        return 0.0
    if run.teacher is not None:
        return 1.0
    objective, settings = OBJECTIVES[run.objective], run.settings_of("objective")
    if "writing" in objective.extra:
        return _written(run)
    if "share" in objective.extra:
        return float(objective.extra["share"](settings))
    return float(getattr(settings, "rate", 1.0)) if not objective.extra.get("left_to_right") else 1.0


def memory(run: Run, vocabulary: int) -> int:
    """The bytes that training takes: weights, gradients and two moments; what each block keeps for the way back; and
    the logits, twice."""
    parameters = count(run.model, run.shape, vocabulary)["params"]["with_pretraining_heads"]
    shape: Any = run.settings_of("model")
    block, _, _ = _matrices(run, vocabulary)
    feed = sum(rows for name, (rows, *_) in block.items() if ".feed." in name and ".down." not in name)
    width, tokens = getattr(shape, "width", 1), run.plan.batch * shape.context
    kept = tokens * (getattr(shape, "depth", 1) * (12 * width + 3 * feed) + 6 * width + _own_costs(run)[1])
    logits = 2 * _asked(run) * tokens * vocabulary
    return int(PROCESS + BYTES * (4 * parameters + kept + logits))
