"""Collation: how long it takes to make a batch of exercises, beside transformers and beside the step that reads it.

Ours is all that training does for a batch: rows are cut from the text, disturbed and made tensors. The collator of
transformers is handed rows that are cut already, with the special tokens marked, as lists, and by turns in the same
process. A ratio is given only if both ask for the share of tokens that they should.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.bench.arms.process import check_peers, run_arm, versions
from lab.catalog import BENCHMARKS
from lab.settings import Settings, knob

TOLERANCE = 0.01  # how far the share of asked tokens may be from what it should be
SHARE = 0.15
PEER = ("transformers",)


@dataclass(frozen=True, kw_only=True)
class Collation(Settings):
    """How large a batch is, how often it is timed, and the model whose step it is held against."""

    rounds: int = knob(30, "Batches of each arm", "每组的批数", low=3, high=10_000)
    batch: int = knob(32, "Rows per step", "每步样本数", low=1, high=4096)
    context: int = knob(128, "Tokens in a row", "每行词元数", low=16, high=4096)
    vocabulary: int = knob(8192, "Vocabulary size asked for", "期望的词表大小", low=262, high=65536)
    depth: int = knob(4, "Layers", "层数", low=1, high=48)
    width: int = knob(256, "Hidden size", "隐藏维度", low=8, high=4096)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=64)
    steps: int = knob(3, "Training steps that are timed", "计时的训练步数", low=1, high=1000)
    threads: int = knob(1, "Processor threads", "处理器线程数", low=1, high=256)


@BENCHMARKS.add(
    "collation",
    title="Collation",
    zh=("制作练习", "本实验室与 transformers 制作一批练习的速度，以及占一步训练的比例。"),
    settings=Collation,
    order=4,
)
def collation(
    corpus: tuple[str, dict[str, Any]], s: Collation, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Speed of making exercises: masked ones beside transformers, and those of every other objective."""
    check_peers(PEER)
    answer = run_arm("collation", [json.dumps({"corpus": corpus, "settings": s.dump()})], s.threads)
    document, lines = judged(answer, s)
    for line in lines:
        say(line)
    return document, lines


def judged(answer: Mapping[str, Any], s: Collation) -> tuple[dict[str, Any], list[str]]:
    """The figures, and what to say of them. The least seconds count: whatever else the machine does adds to them."""
    least = {arm: min(times) for arm, times in answer["mlm"].items()}
    agree = all(abs(share - SHARE) <= TOLERANCE for share in answer["asked"].values())
    ratio = least["peer"] / least["ours"]
    share = least["ours"] / min(answer["step"])
    speed = {name: answer["tokens"][name] / min(times) for name, times in answer["others"].items()}
    document = {
        "benchmark": "collation",
        "ratio": round(ratio, 3) if agree else None,
        "tokens_per_second": {arm: round(s.batch * s.context / second) for arm, second in least.items()},
        "share_of_a_step": round(share, 5),
        "others": {name: round(rate) for name, rate in speed.items()},
        "asked": answer["asked"],
        "agree": agree,
        "settings": s.dump(),
        "versions": versions(("torch", *PEER)),
    }
    both = ", ".join(f"{arm} {rate:,}" for arm, rate in document["tokens_per_second"].items())
    verdict = f"ours is {ratio:.1f} times as fast" if agree else "the arms ask for different shares: no ratio"
    step = f"making a batch takes {share:.2%} of a training step"
    others = [f"{name:24} {rate:>12,.0f} tokens a second" for name, rate in sorted(speed.items(), key=lambda p: p[1])]
    return document, [f"masked language modelling, tokens a second: {both}; {verdict}", step, *others]
