"""Scaling: what training by several processes costs in communication, measured with two and projected for more.

Every device reads as many rows as one alone (weak scaling), and a step is as long as it is alone, plus the time that
gradients travel; nothing of that is hidden behind the way back, so that the projection is a cautious one. Of N
parameters in single precision, n devices in a ring each send

    whole (DDP)     2 (n - 1) / n * 4 N bytes   gradients are summed, and the sums handed on
    sharded (FSDP)  3 (n - 1) / n * 4 N bytes   weights are gathered twice, gradients summed once

and the throughput of n devices is n * tokens / (seconds of a step + bytes / bandwidth).
"""

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.bench.arms.process import run_arm, versions
from lab.bench.sized import sized
from lab.catalog import BENCHMARKS, MODELS
from lab.runs.run import Run
from lab.settings import Settings, knob, listed

DEVICES = (8, 64)
PASSES = {"whole": 2, "sharded": 3}
BYTES = 4  # of a number in single precision


@dataclass(frozen=True, kw_only=True)
class Scaling(Settings):
    """Which families, how large, and how fast devices speak to each other."""

    families: str = knob("bert,gpt,t5,electra", "Families, with commas between them", "模型，用逗号分隔")
    size: str = knob("small", "Size", "规模", choices=("tiny", "small", "medium"))
    steps: int = knob(40, "Steps that are timed", "计时的步数", low=10, high=10_000)
    batch: int = knob(16, "Rows per step and process", "每个进程每步的样本数", low=1, high=4096)
    bandwidth: float = knob(
        25.0, "Gigabytes a second from device to device", "设备之间每秒吉字节数", low=0.01, high=1e4
    )
    faster: float = knob(
        1.0, "Times that a device is faster than this machine", "设备比本机快多少倍", low=0.01, high=1e6
    )

    @property
    def chosen(self) -> list[str]:
        """The families that are measured."""
        return listed(self.families)

    def check(self) -> None:
        for name in self.chosen:
            MODELS[name]  # the register says which it does not know


@BENCHMARKS.add(
    "scaling",
    title="Scaling",
    zh=("扩展性", "多进程训练的通信量：两个进程的实测，以及 8 与 64 个设备的推算。"),
    settings=Scaling,
    order=8,
)
def scaling(
    corpus: tuple[str, dict[str, Any]], s: Scaling, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Communication of training by several processes: measured with two, projected for 8 and 64 devices."""
    families = {}
    for family in s.chosen:
        run = sized(family, s.size, corpus, steps=s.steps, batch=s.batch)
        alone, both = (_trained(run, processes) for processes in (1, 2))
        families[family] = judged(alone, both, s.bandwidth, s.faster)
        say(line(family, families[family]))
    document = {
        "benchmark": "scaling",
        "families": families,
        "corpus": corpus[0],
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, [line(family, found) for family, found in families.items()]


def _trained(run: Run, processes: int) -> dict[str, Any]:
    """What so many processes say of the run, each with as many rows as one alone."""
    plan = run.training | {"batch": run.plan.batch * processes}
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as place:
        words = [json.dumps(replace(run, training=plan).dump()), str(Path(place) / "run")]
        return run_arm("scaling", words, threads=1, processes=processes)


def judged(alone: Mapping[str, Any], both: Mapping[str, Any], bandwidth: float, faster: float = 1.0) -> dict[str, Any]:
    """What one and two processes did, and what more devices would: bytes, tokens a second, and their efficiency, which
    is the throughput beside that of as many devices with nothing to say to each other."""
    speed = {n: arm["tokens"] / arm["seconds"] for n, arm in ((1, alone), (2, both))}
    projected = {}
    for n in DEVICES:
        for kind in PASSES:
            sent = sent_by_each(alone["parameters"], n, kind)
            step, travel = alone["seconds"] / faster, sent / (bandwidth * 1e9)
            efficiency = step / (step + travel)
            projected[f"{kind}, {n} devices"] = {
                "bytes": round(sent),
                "efficiency": round(efficiency, 4),
                "tokens_per_second": round(n * speed[1] * faster * efficiency),
            }
    return {
        "parameters": alone["parameters"],
        "seconds": {"1": round(alone["seconds"], 5), "2": round(both["seconds"], 5)},
        "tokens_per_second": {str(n): round(rate) for n, rate in speed.items()},
        "efficiency_of_two": round(speed[2] / speed[1] / 2, 3),
        "projected": projected,
    }


def sent_by_each(parameters: int, devices: int, kind: str) -> float:
    """The bytes that each of so many devices in a ring sends in one step."""
    return PASSES[kind] * (devices - 1) / devices * BYTES * parameters


def line(family: str, measured: Mapping[str, Any]) -> str:
    """What came of one family."""
    rates, two = measured["tokens_per_second"], measured["efficiency_of_two"]
    more = "; ".join(f"{name} {figures['efficiency']:.1%}" for name, figures in measured["projected"].items())
    return (
        f"{family:12} {measured['parameters']:,} parameters, {BYTES * measured['parameters'] / 1e6:.1f} MB a step; "
        f"1 process {rates['1']:,} tokens a second, 2 processes {rates['2']:,} ({two:.0%}); {more}"
    )
