"""What a planned run will cost on this machine: memory, steps and time.

The arithmetic of a step is counted. How fast this machine does it is taken from the runs that it has finished, those
first that were about as large, and before there is one from a product of two matrices.
"""

import json
import math
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import torch

from lab.engine.cost import Cost, step_cost
from lab.engine.metrics import Diary
from lab.engine.run import Run, RunFolder, runs, write

SHARE_OF_PEAK = 0.35  # what training reaches of a plain matrix product, until a finished run tells better
TRAINING = 0.92  # the share of a run's seconds in which it learns; the rest goes to checks
PROCESS = 350 * 2**20  # a worker with torch loaded and no model
LATELY = 40  # runs
NOTED = "forecast.json"


@dataclass(frozen=True)
class Forecast:
    """Times in seconds, memory in bytes."""

    cost: Cost  # of one step
    steps: int
    seconds: float
    tokens: int
    memory: int
    measured: bool  # whether a finished run of this machine stands behind the time


def forecast(run: Run, vocabulary: int) -> Forecast:
    """The cost of a run whose tokenizer has ``vocabulary`` ids."""
    plan, cost = run.plan, step_cost(run, vocabulary)
    rate, measured = machine_rate(run, cost)
    step_seconds = (cost.forward + cost.backward) / rate
    steps = plan.steps or max(1, round((plan.seconds or 0) * TRAINING / step_seconds))
    return Forecast(
        cost=cost,
        steps=steps,
        seconds=plan.seconds or steps * step_seconds / TRAINING,
        tokens=steps * cost.tokens,
        memory=memory(run, vocabulary),
        measured=measured,
    )


def note(folder: RunFolder) -> None:
    """Write the forecast of a run that begins into its folder, to be held against what comes."""
    run = folder.run
    said = forecast(run, run.settings_of("tokenizer").vocabulary)
    pace = said.steps / said.seconds if said.seconds else None
    write(folder.path / NOTED, json.dumps({"steps_per_second": pace, "memory": said.memory}))


def memory(run: Run, vocabulary: int) -> int:
    """The bytes that training takes, the worker's own among them."""
    return PROCESS + step_cost(run, vocabulary).training


@dataclass(frozen=True)
class Finished:
    """A run that has ended: what it was, and how fast it learnt."""

    run: Run
    vocabulary: int
    parameters: int
    tokens_per_second: float

    @property
    def size(self) -> float:
        """About what a step of it costs, without counting."""
        return float(self.parameters * self.run.plan.batch * self.run.settings_of("model").context)

    @property
    def rate(self) -> float:
        """Operations a second."""
        return step_cost(self.run, self.vocabulary).per_token * self.tokens_per_second


def machine_rate(run: Run, cost: Cost) -> tuple[float, bool]:
    """Operations a second that training with the run's threads reaches here in steps about as large as its own, and
    whether finished runs say so."""
    threads = run.plan.threads
    wanted = cost.parameters * run.plan.batch * run.settings_of("model").context
    alike = sorted(finished(threads), key=lambda other: abs(math.log(other.size / wanted)))
    if alike:
        return statistics.median(other.rate for other in alike[:3]), True
    return SHARE_OF_PEAK * _peak() * min(threads or torch.get_num_threads(), torch.get_num_threads()), False


def finished(threads: int) -> Iterator[Finished]:
    """The runs that were lately pretrained on this machine's processor with so many threads."""
    for folder in list(runs())[:LATELY]:
        try:
            stamp = (folder.path / "result.json").stat().st_mtime_ns
        except OSError:
            continue
        found = _read(folder.path, stamp, threads)
        if found is not None:
            yield found


@lru_cache(maxsize=512)
def _read(path: Path, _stamp: int, threads: int) -> Finished | None:
    folder = RunFolder(path)
    result, begun = folder.document("result.json"), folder.document("run.json")
    if result.get("steps", 0) < 20 or begun.get("training", {}).get("threads") != threads or begun.get("task"):
        return None
    records, _ = Diary(path / "metrics.jsonl").read()
    facts = next((record for record in records if record["kind"] == "begin"), {})
    try:
        run = folder.run
    except ValueError:
        return None  # written by another version of the lab
    speed = float(result.get("tokens_per_second") or 0)
    if not facts.get("parameters") or "vocabulary" not in facts or run.plan.device == "cuda" or not speed:
        return None
    return Finished(run, facts["vocabulary"], facts["parameters"], speed)


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
