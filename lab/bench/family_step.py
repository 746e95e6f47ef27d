"""A training step of every family that transformers has, beside the class there: forward, loss, backward, AdamW.

Both arms start from the same weights and see the same batch at every step, in single precision without dropout, and
take turns in one process, step by step: ours, peer, peer, ours. What compiling takes is not timed. The lab works logits
out only where something is asked, the classes at every position; that is part of what is measured. A ratio is given
only where the losses agree, before the first step and at the last.
"""

import json
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.bench.arms.process import check_peers, run_arm, threads_of, versions
from lab.catalog import BENCHMARKS, MODELS
from lab.exchange.known import naming_of
from lab.runs.run import IMPORTED, Run
from lab.settings import Settings, SettingsError, knob, listed, nearest

FIRST_TOLERANCE = 1e-4  # nats, before the first step
LAST_TOLERANCE = 1e-3  # nats, at the last step: roundings have added up
PEER = ("transformers",)
# What there is a class for: one of two networks, a text without a memory, an answer without the mask decoder.
SHAPES: Mapping[str, Mapping[str, Any]] = {
    "electra": {"half": "generator"},
    "deberta_v1": {"plain": True},
    "deberta_v2": {"plain": True},
    "deberta_v3": {"half": "generator"},
    "xlnet": {"memory": 0},
}
LEFT_OUT = {"spanbert"}  # its class has no head that guesses a span from its ends, so that the losses differ


@dataclass(frozen=True, kw_only=True)
class FamilyStep(Settings):
    """Which families, and how many steps on how large a batch."""

    families: str = knob("", "Families, with commas between them, all if left out", "模型，用逗号分隔，缺省为全部")
    steps: int = knob(20, "Steps of each arm", "每组步数", low=2, high=10_000)
    batch: int = knob(8, "Rows per step", "每步样本数", low=1, high=4096)
    length: int = knob(128, "Tokens in a row", "每行词元数", low=16, high=4096)
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)
    alike: bool = knob(False, "Let the peer multiply matrices by what the lab does", "对照组也用同样的矩阵乘法库")
    compiled: bool = knob(
        False,
        "Compile the peer by torch.compile, which needs a C++ compiler",
        "用 torch.compile 编译对照组（需要 C++ 编译器）",
    )

    @property
    def chosen(self) -> list[str]:
        """The families to be measured."""
        return listed(self.families) or exchanged()

    def check(self) -> None:
        for name in self.chosen:
            if name not in exchanged():
                en, zh = nearest(name, exchanged())
                raise SettingsError(
                    f"transformers has no class for {name!r}{en}", f"transformers 中没有与 {name!r} 对应的类{zh}"
                )


def exchanged() -> list[str]:
    """The families that transformers has a class with the same loss for."""
    names = []
    for entry in MODELS:
        if entry.name in LEFT_OUT:
            continue
        try:
            naming_of(entry.name)
        except SettingsError:
            continue
        names.append(entry.name)
    return names


def run_of(family: str, s: FamilyStep) -> Run:
    """The family at its usual sizes, learning what it learns."""
    shape = {**SHAPES.get(family, {}), "context": s.length}
    naming = naming_of(family, MODELS[family].settings.load(shape))
    objective = naming.objective or MODELS[family].objective
    return Run(kind=IMPORTED, model=family, shape=shape, objective=objective, training={"steps": 1, "batch": s.batch})


@BENCHMARKS.add(
    "family_step",
    title="A step of every family",
    zh=("各模型的一步训练", "每种模型的一步训练与 transformers 中对应类的速度。"),
    settings=FamilyStep,
    order=3,
)
def family_step(
    corpus: tuple[str, dict[str, Any]], s: FamilyStep, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Speed of one training step of each family and of its class in transformers, at equal loss."""
    check_peers(PEER)
    threads = threads_of(s.threads)
    judgements = {}
    for family in s.chosen:
        words = [json.dumps(run_of(family, s).dump()), str(s.steps), str(int(s.alike)), str(int(s.compiled))]
        judgements[family] = judged(run_arm("family", words, threads))
        say(line(family, judgements[family]))
    document = {
        "benchmark": "family_step",
        "families": judgements,
        "settings": {**s.dump(), "families": ",".join(s.chosen), "threads": threads},
        "versions": versions(("torch", *PEER)),
    }
    return document, [line(family, judgement) for family, judgement in judgements.items()]


def judged(arms: Mapping[str, Any]) -> dict[str, Any]:
    """What the seconds of a family's arms say, if its losses allow them to say something."""
    apart = [abs(arms[when]["ours"] - arms[when]["peer"]) for when in ("first", "last")]
    agree = apart[0] <= FIRST_TOLERANCE and apart[1] <= LAST_TOLERANCE
    middle = {arm: statistics.median(seconds) for arm, seconds in arms["seconds"].items()}
    pairs = [peer / ours for ours, peer in zip(arms["seconds"]["ours"], arms["seconds"]["peer"], strict=True)]
    low, _, high = statistics.quantiles(pairs, n=4, method="inclusive")
    return {
        "ratio": round(middle["peer"] / middle["ours"], 3) if agree else None,
        "spread": [round(low, 3), round(high, 3)] if agree else [],
        "milliseconds": {arm: round(1000 * seconds, 2) for arm, seconds in middle.items()},
        "apart": dict(zip(("first", "last"), apart, strict=True)),
        "agree": agree,
    }


def line(family: str, judgement: Mapping[str, Any]) -> str:
    """What came of one family."""
    times, apart = judgement["milliseconds"], max(judgement["apart"].values())
    both = f"{family:12} ours {times['ours']:8.2f} ms, transformers {times['peer']:8.2f} ms"
    if not judgement["agree"]:
        return f"{both}: no ratio, the losses differ by {apart:.1e} nats"
    low, high = judgement["spread"]
    return f"{both}: ours is {judgement['ratio']:.2f} times as fast ({low:.2f} to {high:.2f}), losses {apart:.0e} apart"
