"""Decoding: tokens a second, greedily and sampled in a batch, beside ``generate`` of transformers.

Both arms have the same weights, in single precision, and keep keys and values; ours decodes in half precision and in
eight bits, too. A ratio is given only if they write the same tokens greedily, and tokens that the model holds about as
likely where they are drawn, or where eight bits choose others.
"""

import json
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.bench.arms.process import check_peers, threads_of, versions
from lab.bench.arms.resting import resting
from lab.catalog import BENCHMARKS
from lab.inference.reduced_precision import FLOAT16, INT8
from lab.runs.run import FLOAT32, Run
from lab.settings import Settings, knob

TOLERANCE = 0.1  # nats per token between what two arms draw
PEER = ("transformers",)
ROOM = 128  # tokens for the prompt


@dataclass(frozen=True, kw_only=True)
class Decoding(Settings):
    """The model, and how much it writes."""

    depth: int = knob(6, "Layers", "层数", low=1, high=48)
    width: int = knob(384, "Hidden size", "隐藏维度", low=8, high=4096)
    heads: int = knob(6, "Attention heads in a block", "每层的注意力头数", low=1, high=64)
    vocabulary: int = knob(8192, "Vocabulary size asked for", "期望的词表大小", low=262, high=65536)
    tokens: int = knob(200, "Tokens of a text", "每段文本的词元数", low=8, high=4096)
    samples: int = knob(32, "Texts that are sampled together", "同时采样的文本数", low=1, high=1024)
    rounds: int = knob(3, "Texts or batches of each arm", "每组的次数", low=2, high=1000)
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)


@BENCHMARKS.add(
    "decoding",
    title="Decoding",
    zh=("解码", "本实验室与 transformers 的 generate 每秒写出的词元数：贪心，以及成批采样。"),
    settings=Decoding,
    order=7,
)
def decoding(
    corpus: tuple[str, dict[str, Any]], s: Decoding, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Tokens a second of a GPT and of its class in transformers, greedily and sampled."""
    check_peers(PEER)
    run, threads = _run(corpus, s), threads_of(s.threads)
    ways = {
        "greedy": (FLOAT32, 0),
        f"greedy, ours in {FLOAT16}": (FLOAT16, 0),
        f"greedy, ours in {INT8}": (INT8, 0),
        f"{s.samples} samples": (FLOAT32, s.samples),
    }
    words = [json.dumps(run.dump()), json.dumps([*ways.values()]), str(s.tokens), str(s.rounds)]
    found = {}
    with resting("decoding", words, threads) as turn:
        for way, (precision, samples) in ways.items():
            found[way] = judged(turn(), greedy=not samples and precision != INT8)
            say(line(way, found[way]))
    document = {
        "benchmark": "decoding",
        "ways": found,
        "settings": {**s.dump(), "threads": threads},
        "versions": versions(("torch", *PEER)),
    }
    return document, [line(way, each) for way, each in found.items()]


def _run(corpus: tuple[str, dict[str, Any]], s: Decoding) -> Run:
    return Run(
        model="gpt",
        shape={"depth": s.depth, "width": s.width, "heads": s.heads, "context": s.tokens + ROOM},
        objective="clm",
        corpus=corpus[0],
        corpus_settings=corpus[1],
        tokenizer="byte_bpe",
        tokenizer_settings={"vocabulary": s.vocabulary},
        training={"steps": 1, "batch": 1},
    )


def judged(arms: Mapping[str, Any], *, greedy: bool) -> dict[str, Any]:
    """What the seconds of the arms say, if what they wrote allows them to say something."""
    apart = abs(arms["nats"]["ours"] - arms["nats"]["peer"])
    agree = arms["same"] if greedy else apart <= TOLERANCE
    ratios = sorted(peer / ours for ours, peer in zip(arms["seconds"]["ours"], arms["seconds"]["peer"], strict=True))
    return {
        "ratio": round(statistics.median(ratios), 3) if agree else None,
        "spread": [round(ratios[0], 3), round(ratios[-1], 3)] if agree else [],
        "tokens_per_second": {arm: round(1 / statistics.median(paces), 1) for arm, paces in arms["seconds"].items()},
        "same": arms["same"],
        "apart": apart,
        "agree": agree,
        "vocabulary": arms["vocabulary"],
    }


def line(way: str, timed: Mapping[str, Any]) -> str:
    """What came of one way of decoding."""
    pace = timed["tokens_per_second"]
    both = f"{way:23} ours {pace['ours']:,.0f} tokens a second, transformers {pace['peer']:,.0f}"
    if not timed["agree"]:
        return f"{both}: no ratio, they do not write alike ({timed['apart']:.2f} nats apart)"
    low, high = timed["spread"]
    return f"{both}: ours is {timed['ratio']:.2f} times as fast ({low:.2f} to {high:.2f})"
