"""Time to loss: how soon a small GPT reaches a validation loss, trained by the lab's recipe and by nanoGPT's.

Both have the same shape, text, rows in a step and rows to be checked on; each has its own optimizer and schedule. The
seconds of ours are the clock's, with all checks and saves; those of the peer are its steps alone. An arm is a process
of its own, and arms take turns: ours, peer, peer, ours.
"""

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.bench.arms.process import check_peers, run_arm, threads_of, versions
from lab.bench.first_minute import beaten
from lab.bench.turns import turns
from lab.catalog import BENCHMARKS
from lab.runs.run import Run
from lab.settings import Settings, knob
from lab.training.run_request import pretraining

PEER = ("transformers",)


@dataclass(frozen=True, kw_only=True)
class TimeToLoss(Settings):
    """The loss to reach, and how long each arm tries. The shape is the one of nanoGPT's README for processors."""

    target: float = knob(1.88, "Validation loss to reach, nats per token", "要达到的验证损失（每词元奈特）", low=0.01)
    seconds: float = knob(25.0, "Seconds of the lab's run", "本实验室训练的秒数", low=5, high=3600)
    steps: int = knob(2000, "Steps of nanoGPT's recipe", "nanoGPT 配方的步数", low=1, high=1_000_000)
    every: int = knob(50, "Its steps between two validations", "其验证的间隔步数", low=1, high=1_000_000)
    pairs: int = knob(3, "Pairs of arms, each with a seed", "对比组数，每组一个种子", low=1, high=100)
    width: int = knob(128, "Hidden size", "隐藏维度", low=8, high=4096)
    depth: int = knob(4, "Layers", "层数", low=1, high=48)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=64)
    context: int = knob(64, "Context length in tokens", "上下文长度（词元数）", low=8, high=4096)
    batch: int = knob(12, "Rows per step", "每步样本数", low=1, high=4096)
    vocabulary: int = knob(71, "Size of the vocabulary of characters", "字符词表的大小", low=10, high=100_000)
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)


@BENCHMARKS.add(
    "time_to_loss",
    title="Time to loss",
    zh=("达到某一损失的时间", "同样大小的 GPT 按本实验室与 nanoGPT 的配方训练，各需多少秒达到给定的验证损失。"),
    settings=TimeToLoss,
    order=15,
)
def time_to_loss(
    corpus: tuple[str, dict[str, Any]], s: TimeToLoss, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Seconds until a small GPT is below a validation loss, by the lab's recipe and by nanoGPT's."""
    check_peers(PEER)
    threads = threads_of(s.threads)
    arms: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
    for number, arm in turns(s.pairs):
        words = [json.dumps(_run(corpus, s, threads, number).dump())]
        if arm == "ours":
            measured = run_arm("first_minute", words, threads)
        else:
            measured = run_arm("nanogpt", [*words, str(s.steps), str(s.every), str(number)], threads)
        arms[arm].append(measured)
        say(_line(arm, beaten(measured["losses"], s.target), measured))
    return judged(arms, s, threads)


def _run(corpus: tuple[str, dict[str, Any]], s: TimeToLoss, threads: int, seed: int) -> Run:
    return pretraining(
        model="gpt",
        corpus=corpus[0],
        tokenizer="char_bpe",
        chosen={
            "model": {"width": s.width, "depth": s.depth, "heads": s.heads, "context": s.context},
            "corpus": corpus[1],
            "tokenizer": {"vocabulary": s.vocabulary},
            "training": {"seconds": s.seconds, "batch": s.batch, "threads": threads},
        },
        seed=seed,
    )


def judged(
    arms: Mapping[str, Sequence[Mapping[str, Any]]], s: TimeToLoss, threads: int
) -> tuple[dict[str, Any], list[str]]:
    """The median seconds of each arm until the loss is below the target and stays there, None where that is not in
    half of its runs; and how many times as soon ours is."""
    seconds, ends = {}, {}
    for arm, runs in arms.items():
        middle = sorted(beaten(run["losses"], s.target) for run in runs)[len(runs) // 2]
        seconds[arm] = None if math.isinf(middle) else round(middle, 2)
        ends[arm] = round(statistics.median(run["losses"][-1][1] for run in runs), 4)
    ours, peer = seconds["ours"], seconds["peer"]
    ratio = round(peer / ours, 2) if ours and peer else None
    document = {
        "benchmark": "time_to_loss",
        "target": s.target,
        "seconds": seconds,
        "end_loss": ends,
        "ratio": ratio,
        "runs": arms,
        "threads": threads,
        "settings": s.dump(),
        "versions": versions(("torch", *PEER)),
    }
    told = {arm: "never" if taken is None else f"after {taken:.1f} s" for arm, taken in seconds.items()}
    verdict = "no ratio" if ratio is None else f"ours {ratio:.2f} times as soon"
    return document, [f"below {s.target}: ours {told['ours']}, nanoGPT's recipe {told['peer']}: {verdict}"]


def _line(arm: str, taken: float, measured: Mapping[str, Any]) -> str:
    last, loss = measured["losses"][-1]
    when = "not below it" if math.isinf(taken) else f"below it after {taken:.1f} s"
    return f"{arm}: {when}; {loss:.3f} after {last:.1f} s and {measured['steps']:,} steps"
