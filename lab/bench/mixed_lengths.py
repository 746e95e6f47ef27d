"""Fine-tuning on texts of mixed length: the lab's length-grouped batches beside the Trainer's of transformers.

Both arms start from the same classifier and learn from the same examples, each once in an epoch, in batches of rows
that are about as long, each in an order of its own; optimizer, schedule and clipping are the same, and there is no
dropout. An arm is a process of its own, and arms take turns: ours, peer, peer, ours. A ratio is given only where the
losses on held-out texts are equal before training, and close after it.
"""

import json
import math
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.bench.arms.process import check_peers, threads_of, versions
from lab.bench.arms.resting import resting
from lab.bench.finetune import PLAIN
from lab.bench.turns import turns, verdict
from lab.catalog import BENCHMARKS
from lab.data.corpus import prepare
from lab.data.labelled_batches import LabelledBatches
from lab.data.reading import Parts, parts_of
from lab.exchange.export import export
from lab.inference.model import build, heads_of
from lab.runs import checkpoint
from lab.runs.checkpoint import State, weights_of
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import Settings, knob
from lab.tokenizer import Tokenizer
from lab.training.run_request import Chosen, finetuning

START_TOLERANCE = 1e-4  # nats, before training
END_TOLERANCE = 0.15  # nats, after it: each arm read the examples in an order of its own
PEER = ("transformers", "accelerate")


@dataclass(frozen=True, kw_only=True)
class MixedLengths(Settings):
    """What is fine-tuned, and on how much."""

    labels: int = knob(800, "Labelled examples", "带标签的样本数", low=8, high=1_000_000)
    epochs: int = knob(2, "Epochs, the first of which is not timed", "训练轮数，第一轮不计时", low=2, high=100)
    pairs: int = knob(3, "Pairs of arms", "对比组数", low=1, high=100)
    depth: int = knob(4, "Layers", "层数", low=1, high=48)
    width: int = knob(128, "Hidden size", "隐藏维度", low=8, high=4096)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=64)
    context: int = knob(256, "Longest text in tokens", "文本的最大词元数", low=8, high=4096)
    batch: int = knob(16, "Rows per step", "每步样本数", low=1, high=4096)
    learning_rate: float = knob(5e-4, "Learning rate", "学习率", low=1e-6, high=1.0)
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)
    alike: bool = knob(False, "Let the peer multiply matrices by what the lab does", "对照组也用同样的矩阵乘法库")


@dataclass(frozen=True)
class Timed:
    """What one arm reports: losses in nats per held-out text."""

    seconds: float  # of all epochs behind the first
    start_loss: float
    end_loss: float


@BENCHMARKS.add(
    "mixed_lengths",
    title="Fine-tuning on texts of mixed length",
    zh=("混合长度文本的微调", "按长度分组的微调：本实验室与 transformers 的 Trainer（group_by_length）的速度。"),
    settings=MixedLengths,
    order=14,
)
def mixed_lengths(
    corpus: tuple[str, dict[str, Any]], s: MixedLengths, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Speed of fine-tuning a classifier by length-grouped batches, at close loss."""
    check_peers(PEER)
    threads = threads_of(s.threads)
    arms: dict[str, list[Timed]] = {"ours": [], "peer": []}
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as name:
        place = Path(name)
        run, lengths = _lay_out(place, corpus, s, threads)
        for number in range(s.pairs):
            RunFolder.create(run, place / f"ours-{number}")
        words = [name, str(s.pairs)]
        with (
            resting("mixed_lengths", ["ours", *words], threads) as ours,
            resting("mixed_lengths", ["peer", *words], threads) as peer,
        ):
            turn = {"ours": ours, "peer": peer}
            for _, arm in turns(s.pairs):
                timed = Timed(**turn[arm]())
                arms[arm].append(timed)
                say(f"{arm}: {timed.seconds:.1f} s, loss {timed.end_loss:.4f}")
    return _judged(arms, s, lengths, threads)


def _lay_out(place: Path, corpus: tuple[str, dict[str, Any]], s: MixedLengths, threads: int) -> tuple[Run, list[int]]:
    """Write what both arms read. Returns the run of ours, and how many tokens each example has."""
    start = Run(
        model="bert",
        shape={"depth": s.depth, "width": s.width, "heads": s.heads, "context": s.context},
        objective="mlm",
        corpus=corpus[0],
        corpus_settings=corpus[1],
        tokenizer="byte_bpe",
        tokenizer_settings={},
        training={"steps": 1},
    )
    parent = RunFolder.create(start, place / "parent")
    tokenizer = prepare(parent).tokenizer
    training = {"batch": s.batch, "learning_rate": s.learning_rate, "threads": threads}
    tuning = {"labels": s.labels, "group_by_length": True, "evaluations": 1}
    name, values = ("labelled", {"path": corpus[1]["path"]}) if corpus[0] in PLAIN else corpus

    def run_of(steps: int) -> Run:
        chosen: Chosen = {"corpus": values, "training": {**training, "steps": steps}, "tuning": tuning}
        return finetuning(parent, corpus=name, chosen=chosen, parent=str(parent.path), fresh=True)

    parts = parts_of(run_of(1))
    epoch = math.ceil(len(parts.train) / s.batch)
    run = run_of(epoch * s.epochs + 1)  # behind the last step ours looks at its validation texts
    _export_start(run, parts, tokenizer, place)
    lengths = _write_rows(run, parts, tokenizer, place)
    facts = {"settings": s.dump(), "plan": run.training, "epoch": epoch}
    (place / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    return run, lengths


def _export_start(run: Run, parts: Parts, tokenizer: Tokenizer, place: Path) -> None:
    """The classifier as it is before its first step, as transformers loads it."""
    folder = RunFolder.create(run, place / "start")
    folder.keep_tokenizer(tokenizer)
    (folder.path / "labels.json").write_text(json.dumps({"labels": [*parts.labels]}), encoding="utf-8")
    weights = weights_of(build(run, tokenizer.vocabulary.size, *heads_of(run, parts.labels)))
    checkpoint.save(folder.path / "checkpoints", State(0, weights, {}, {}))
    export(folder, place / "peer")


def _write_rows(run: Run, parts: Parts, tokenizer: Tokenizer, place: Path) -> list[int]:
    """The examples as ids, framed as the model reads them. Returns how many tokens each of those to learn from has."""
    lengths = []
    for name, examples in (("train", parts.train), ("valid", parts.valid)):
        batches = LabelledBatches(run, examples, tokenizer, parts.labels)
        rows = []
        for judged in batches.judged(len(examples), 1):
            ids: list[int] = judged.batch.shown[0].tolist()
            rows.append({"input_ids": ids, "labels": judged.examples[0].label})
            lengths += [len(ids)] if name == "train" else []
        (place / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    return lengths


def _judged(
    arms: dict[str, list[Timed]], s: MixedLengths, lengths: Sequence[int], threads: int
) -> tuple[dict[str, Any], list[str]]:
    found = verdict(arms, lambda timed: timed.seconds, (START_TOLERANCE, END_TOLERANCE))
    document = {
        "benchmark": "mixed_lengths",
        "seconds": {arm: statistics.median(timed.seconds for timed in timings) for arm, timings in arms.items()},
        "tokens": {"least": min(lengths), "median": statistics.median(lengths), "most": max(lengths)},
        **found.document(),
        "settings": {**s.dump(), "threads": threads},
        "versions": versions(("torch", *PEER)),
    }
    before, after = found.apart
    return document, [
        f"texts of {min(lengths)} to {max(lengths)} tokens, the median {statistics.median(lengths):.0f}",
        f"losses differ by {before:.1e} nats before training, by {after:.3f} after it",
        found.line(),
    ]
