"""Forecast of a planned run on this machine: memory, steps and time.

The arithmetic of a step is counted, and the bytes that it writes. How fast this machine does both is timed on a matrix
product and a sum; by how much training is slower or faster than that is taken from the runs that it has finished, first
from those of the same model that were about as large; before there is one, from a few steps of usual models, which a
server takes when it starts.
"""

import json
import math
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from lab.analysis.cost import Cost, step_cost
from lab.analysis.labelled_rows import UNREAD, LabelledRows
from lab.analysis.measure import STEPS, steps
from lab.catalog import MODELS
from lab.data.batches import CHECK_ROWS, LAST_ROWS
from lab.data.labelled_batches import CHECKED, examples_of_a_check
from lab.runs.files import write
from lab.runs.finding import runs
from lab.runs.folder import RunFolder, home
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import IMPORTED, Run
from lab.training.budget import CHECKS
from lab.training.sizes import USUAL, shape

TRAFFIC = 2  # times as long as a plain sum takes to write them, training is busy with its bytes, as measured
UPDATE = 10  # numbers that the optimizer reads or writes for each parameter
CALLS = 0.002  # seconds that the calls of a step take, whatever they work out
PROCESS = 350 * 2**20  # a worker with torch loaded and no model
LATELY = 40  # runs
ALIKE = 3  # of them that tell the pace
NOTED = "forecast.json"
PACE = "pace.json"
BESIDE = 1.2  # times as long as its steps alone a run takes that also makes batches, writes and keeps, as measured
USUAL_MODELS = ("bert", "gpt")  # whose steps tell the pace of a machine that has finished no run
VOCABULARY = 2048  # of them


@dataclass(frozen=True)
class Forecast:
    """Times in seconds, memory in bytes."""

    cost: Cost  # of one step
    steps: int
    seconds: float
    tokens: int
    memory: int
    measured: bool  # whether a finished run of this machine stands behind the time

    @property
    def note(self) -> dict[str, Any]:
        """What is kept with a run, to be held against what comes."""
        return {"steps_per_second": self.steps / self.seconds if self.seconds else None, "memory": self.memory}


def forecast(run: Run, vocabulary: int, rows: LabelledRows = UNREAD, held: int = CHECKED) -> Forecast:
    """The cost of a run whose tokenizer has ``vocabulary`` ids; of one that is fine-tuned with the ``rows`` that its
    task makes of its texts, and ``held`` examples to be checked on."""
    plan, cost = run.plan, _cost(run, vocabulary, rows)
    step_seconds, measured = pace(run, cost)
    checks, seconds = checks_of(run, cost, rows, held) * step_seconds, plan.seconds
    steps = plan.steps or max(1, round((seconds - min(checks, CHECKS * seconds)) / step_seconds if seconds else 0))
    return Forecast(
        cost=cost,
        steps=steps,
        seconds=seconds or steps * step_seconds + checks,
        tokens=steps * cost.tokens,
        memory=memory(run, vocabulary),
        measured=measured,
    )


def _cost(run: Run, vocabulary: int, rows: LabelledRows) -> Cost:
    """Of one step: of as many tokens as the rows of a batch have, which of a choice are several for each example."""
    cost = step_cost(rows.shortened(run), vocabulary)
    if rows.length is None:
        return cost
    times = rows.tokens / cost.tokens
    return replace(
        cost,
        tokens=round(rows.tokens),
        forward=cost.forward * times,
        backward=cost.backward * times,
        written=round(cost.written * times),
    )


def checks_of(run: Run, cost: Cost, rows: LabelledRows = UNREAD, held: int = CHECKED) -> float:
    """As many steps as take the time of a run's checks, which go forward only."""
    looks = min(run.tuning.looks, run.plan.steps or math.inf)  # at most one behind each step
    read = looks * CHECK_ROWS
    if run.task:
        read = rows.each * (looks * min(held, examples_of_a_check(run)) + min(held, LAST_ROWS))
    return read / run.plan.batch * cost.forward / max(cost.forward + cost.backward, 1)


def memory(run: Run, vocabulary: int) -> int:
    """The bytes that training takes, the worker's own among them."""
    return PROCESS + step_cost(run, vocabulary).training


@dataclass(frozen=True)
class Finished:
    """A run that has ended: what it was, and how fast it learnt."""

    run: Run
    vocabulary: int
    parameters: int
    steps: int
    seconds: float  # of steps and checks

    @property
    def size(self) -> float:
        """About what a step of it costs, without counting."""
        return _size(self.run, self.parameters)

    @property
    def slower(self) -> float:
        """How many times as long as said a step took."""
        cost = step_cost(self.run, self.vocabulary)
        checks = checks_of(self.run, cost)
        if self.run.plan.seconds:
            checks = min(checks, self.steps * CHECKS / (1 - CHECKS))
        return self.seconds / (self.steps + checks) / said(self.run, cost)


def pace(run: Run, cost: Cost) -> tuple[float, bool]:
    """Seconds that a step of the run takes here, and whether finished runs stand behind them."""
    wanted = _size(run, cost.parameters)
    every = sorted(finished(run.plan.threads), key=lambda other: abs(math.log(other.size / wanted)))
    alike = ([other for other in every if other.run.model == run.model] or every)[:ALIKE]
    slower = statistics.median(other.slower for other in alike) if alike else _slower_at_first()
    return slower * said(run, cost), bool(alike)


def take_pace() -> None:
    """Time a few training steps and keep how many times as long as said they take: the quickest, as of the machine's
    own arithmetic, since what else it does only ever adds to them. For a process of its own: weights are drawn, and the
    number of threads is set."""
    slower = []
    for name in USUAL_MODELS:
        usual = {"model": name, "objective": MODELS[name].objective, "shape": shape(name, USUAL)}
        run = Run.load({"kind": IMPORTED, **usual, "training": {"steps": 1, "threads": 1}})
        quickest = min(step.seconds for step in islice(steps(run, VOCABULARY, threads=1), 1, STEPS + 1))
        slower.append(BESIDE * quickest / said(run, step_cost(run, VOCABULARY)))
    home().mkdir(parents=True, exist_ok=True)
    write(home() / PACE, json.dumps({"slower": round(statistics.median(slower), 3)}))


def _slower_at_first() -> float:
    """What ``take_pace`` found out; that a step takes as long as said where it has not been called."""
    try:
        return float(json.loads((home() / PACE).read_text(encoding="utf-8"))["slower"])
    except (OSError, ValueError, KeyError, TypeError):
        return 1.0


def said(run: Run, cost: Cost) -> float:
    """Seconds of a step, as counted: its arithmetic at the pace of a matrix product, its bytes at that of a sum."""
    threads = run.plan.threads or torch.get_num_threads()
    multiplied, written = _machine()
    traffic = TRAFFIC * cost.written + UPDATE * cost.weights
    return (cost.forward + cost.backward) / (multiplied * threads) + traffic / written + CALLS


def _size(run: Run, parameters: int) -> float:
    """About what a step costs. A model that counts has no parameters before it has read."""
    return float(max(parameters, 1) * run.plan.batch * run.settings_of("model").context)


def finished(threads: int) -> Iterator[Finished]:
    """The runs that were lately pretrained on this machine's processor with so many threads."""
    for folder in list(runs())[:LATELY]:
        try:
            stamp = (folder.path / "result.json").stat().st_mtime_ns
        except OSError:
            continue
        timing = _read(folder.path, stamp, threads)
        if timing is not None:
            yield timing


@lru_cache(maxsize=512)
def _read(path: Path, _stamp: int, threads: int) -> Finished | None:
    folder = RunFolder(path)
    result, begun = folder.document("result.json"), folder.document("run.json")
    if result.get("steps", 0) < 20 or begun.get("training", {}).get("threads") != threads or begun.get("task"):
        return None
    records, _ = MetricsLog(path / "metrics.jsonl").read()
    facts = next((record for record in records if record["kind"] == "begin"), {})
    try:
        run = folder.run
    except ValueError:
        return None  # written by another version of the lab
    seconds = float(result.get("seconds") or 0)
    if "parameters" not in facts or "vocabulary" not in facts or run.plan.device == "cuda" or not seconds:
        return None
    return Finished(run, facts["vocabulary"], facts["parameters"], result["steps"], seconds)


_one_at_a_time = threading.Lock()  # so that everybody is told the same


def _machine() -> tuple[float, float]:
    """Operations a second and thread of a matrix product, and bytes a second that a sum writes, in float32."""
    with _one_at_a_time:
        return _timed()


@cache
def _timed() -> tuple[float, float]:
    # Into memory that is there: to be given new memory takes longer than to write it, and how much longer depends on
    # what the process did before.
    square, long, out = torch.ones(512, 512), torch.ones(2**21), torch.ones(2**21)
    product = _best(lambda: square @ square) * torch.get_num_threads()
    return 2 * 512**3 / product, long.nbytes / _best(lambda: torch.add(long, 1, out=out))


def _best(work: Callable[[], object]) -> float:
    """The least seconds of a few times: what else the machine does only ever adds to them."""
    times = []
    for _ in range(7):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)
