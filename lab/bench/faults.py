"""Faults: workers and servers are killed, disks fail and files are damaged; no run may be lost or altered.

Every run that was disturbed is brought to its end and held against one that never was: weights, optimizer, generator,
metrics log and validation must be equal, bit for bit.
"""

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.bench.arms.process import versions
from lab.bench.faulting.damage import damages
from lab.bench.faulting.disk import FAULTS, disk_faults
from lab.bench.faulting.killing import worker_kills
from lab.bench.faulting.outcome import outcome
from lab.bench.faulting.tally import Tally
from lab.bench.faulting.web import server_kills
from lab.catalog import BENCHMARKS
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import Settings, knob
from lab.training.train import train

STEPS = 120
FEW_STEPS = 4  # of a run that is begun anew for every call to the disk


@dataclass(frozen=True, kw_only=True)
class Faults(Settings):
    """How often what is done to runs."""

    kills: int = knob(200, "Kills of workers, half of them during a save", "杀死训练进程的次数，一半在保存时", low=0)
    disk: bool = knob(True, "Fail at every call to the disk of two saves", "让两次保存中的每个磁盘调用各失败一次")
    damages: int = knob(200, "Checkpoints damaged", "损坏检查点的次数", low=0)
    server_kills: int = knob(50, "Kills of the web server", "杀死网页服务器的次数", low=0)
    seed: int = knob(0, "Seed of the instants", "时刻的随机种子", low=0)


@BENCHMARKS.add(
    "faults",
    title="Faults",
    zh=("故障", "训练进程被杀、磁盘出错、文件损坏之后，有多少训练丢失或改变。"),
    settings=Faults,
    order=6,
)
def faults(
    corpus: tuple[str, dict[str, Any]], s: Faults, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """How many runs are lost or altered by kills, failing disks and damaged files."""
    tallies: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as place:
        for kind, tally in _every(corpus, Path(place), s):
            tallies[kind] = tally
            say(line(kind, tally))
    document = {
        "benchmark": "faults",
        "faults": {kind: vars(tally) for kind, tally in tallies.items()},
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, [line(kind, tally) for kind, tally in tallies.items()]


def _every(corpus: tuple[str, dict[str, Any]], place: Path, s: Faults) -> Iterator[tuple[str, Tally]]:
    dice, run = random.Random(s.seed), _run(corpus, STEPS)
    whole = RunFolder.create(run, place / "undisturbed")
    for _ in train(whole):
        pass
    undisturbed = outcome(whole)
    if s.kills:
        yield "worker killed", worker_kills(run, undisturbed, place, s.kills, dice)
    for fault in FAULTS if s.disk else ():
        yield f"{fault} in a save", disk_faults(_run(corpus, FEW_STEPS), fault, place)
    if s.damages:
        yield "checkpoint damaged", damages(whole, undisturbed, place, s.damages, dice)
    if s.server_kills:
        yield "web server killed", server_kills(run, undisturbed, place / "home", s.server_kills, dice)


def _run(corpus: tuple[str, dict[str, Any]], steps: int) -> Run:
    """A run of a few milliseconds a step, with dropout, so that the generator's state counts."""
    return Run(
        model="bert",
        shape={"width": 16, "depth": 1, "heads": 2, "context": 16, "dropout": 0.1},
        objective="mlm",
        corpus=corpus[0],
        corpus_settings=corpus[1],
        tokenizer="byte_bpe",
        tokenizer_settings={"vocabulary": 300},
        training={"steps": steps, "batch": 4, "threads": 1},
    )


def line(kind: str, tally: Tally) -> str:
    """What came of one kind of fault."""
    left = f", {tally.orphans} processes left over" if "server" in kind else ""
    return f"{kind:20} {tally.faults:4} times: {tally.lost} runs lost, {tally.altered} altered{left}"
