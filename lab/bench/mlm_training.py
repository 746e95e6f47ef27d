"""Masked-language-model training: the lab's own loop beside the Trainer of transformers.

Both arms start from the same weights and read the same rows in the same order, with the same optimizer, schedule and
clipping, no dropout, each in the precision that is asked for. Each draws its own masks. An arm is a process of its own,
and arms take turns of a few steps: ours, peer, peer, ours. A ratio is given only if the arms do the same work: equal
loss on one fixed batch before training, and equal validation loss after it.
"""

import json
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from lab.batch import Batch
from lab.bench.arms.process import check_peers, threads_of, versions
from lab.bench.arms.resting import resting
from lab.bench.turns import turns, verdict
from lab.catalog import BENCHMARKS
from lab.data.batches import Batches
from lab.data.corpus import prepare
from lab.inference.model import build
from lab.runs.checkpoint import weights_of
from lab.runs.folder import RunFolder
from lab.runs.run import BFLOAT16, FLOAT32, Run
from lab.settings import Settings, SettingsError, knob

START_TOLERANCE = 1e-4  # nats, on one fixed batch before training
END_TOLERANCE = 0.05  # nats, on the validation rows after training: the arms were shown different masks
PEER = ("transformers", "accelerate")
MASKED = 0.15  # of the tokens, from the first step to the last: the peer's collator knows no other schedule


@dataclass(frozen=True, kw_only=True)
class MlmTraining(Settings):
    """What is trained, and for how long."""

    steps: int = knob(30, "Steps of each arm", "每组步数", low=30, high=100_000)
    warm: int = knob(5, "First steps that are not timed", "不计时的起始步数", low=1, high=10_000)
    pairs: int = knob(5, "Pairs of turns", "轮流的对数", low=1, high=100)
    depth: int = knob(4, "Layers", "层数", low=1, high=48)
    width: int = knob(256, "Hidden size", "隐藏维度", low=8, high=4096)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=64)
    context: int = knob(128, "Tokens in a row", "每行词元数", low=8, high=4096)
    vocabulary: int = knob(8192, "Vocabulary size asked for", "期望的词表大小", low=262, high=65536)
    batch: int = knob(32, "Rows per step", "每步样本数", low=1, high=4096)
    learning_rate: float = knob(1e-3, "Learning rate", "学习率", low=1e-6, high=1.0)
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)
    precision: str = knob(FLOAT32, "Precision of ours", "本实验室的精度", choices=(FLOAT32, BFLOAT16))
    peer_precision: str = knob(FLOAT32, "Precision of the peer", "对照组的精度", choices=(FLOAT32, BFLOAT16))
    alike: bool = knob(False, "Let the peer multiply matrices by what the lab does", "对照组也用同样的矩阵乘法库")

    def check(self) -> None:
        if self.steps - self.warm < self.pairs:
            raise SettingsError(
                f"warm {self.warm} leaves too few of the {self.steps} steps for {self.pairs} pairs of turns",
                f"warm {self.warm} 使 {self.steps} 步中剩下的步不足以轮流 {self.pairs} 对",
            )

    @property
    def ends(self) -> list[int]:
        """The last step of each turn, the first of which is not timed."""
        return [self.warm + n * (self.steps - self.warm) // self.pairs for n in range(self.pairs + 1)]


@dataclass(frozen=True)
class Timed:
    """What an arm reports of one turn. Losses in nats per asked token."""

    step_seconds: float  # the median, so that a save does not count
    start_loss: float
    end_loss: float


@BENCHMARKS.add(
    "mlm_training",
    title="MLM training",
    zh=("MLM 训练", "本实验室与 transformers 的 Trainer 训练同一个 BERT 的速度。"),
    settings=MlmTraining,
    order=1,
)
def mlm_training(
    corpus: tuple[str, dict[str, Any]], s: MlmTraining, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Training speed of a BERT in the lab and in the Trainer of transformers, at equal loss."""
    check_peers(PEER)
    threads = threads_of(s.threads)
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as name:
        place = Path(name)
        run = _run(corpus, s, threads)
        vocabulary = _lay_out(place, run, s)
        RunFolder.create(run, place / "ours")
        with resting("ours", [name], threads) as ours, resting("peer", [name], threads) as peer:
            arms = _in_turns({"ours": ours, "peer": peer}, s, say)
    return _judged(arms, s, vocabulary, threads)


def _in_turns(
    arms: Mapping[str, Callable[[], dict[str, Any]]], s: MlmTraining, say: Callable[[str], None]
) -> dict[str, list[Timed]]:
    """What each arm reports of each of its turns."""
    start = {arm: turn()["loss"] for arm, turn in arms.items()}
    for turn in arms.values():
        turn()  # the warm steps
    paces: dict[str, list[float]] = {arm: [] for arm in arms}
    for _, arm in turns(s.pairs):
        paces[arm].append(statistics.median(arms[arm]()["seconds"]))
        say(f"{arm}: {s.batch * s.context / paces[arm][-1]:,.0f} tokens a second")
    end = {arm: turn()["loss"] for arm, turn in arms.items()}
    return {arm: [Timed(pace, start[arm], end[arm]) for pace in each] for arm, each in paces.items()}


def _run(corpus: tuple[str, dict[str, Any]], s: MlmTraining, threads: int) -> Run:
    return Run(
        model="bert",
        shape={"depth": s.depth, "width": s.width, "heads": s.heads, "context": s.context},
        objective="mlm",
        corpus=corpus[0],
        corpus_settings=corpus[1],
        tokenizer="byte_bpe",
        tokenizer_settings={"vocabulary": s.vocabulary},
        training={
            "steps": s.steps,
            "batch": s.batch,
            "learning_rate": s.learning_rate,
            "threads": threads,
            "optimizer": "adamw",
            "precision": s.precision,
            "initial_masking": MASKED,
        },
        tuning_settings={"evaluations": 1},  # the peer evaluates nothing while it trains
    )


def _lay_out(place: Path, run: Run, s: MlmTraining) -> int:
    """Write what both arms read: the rows in the order of training, the questions of the two checks, and the weights
    to start from. Returns the size of the vocabulary."""
    folder = RunFolder.create(run, place / "layout")
    ready = prepare(folder)
    feed = Batches(run, ready.train, ready.tokenizer.vocabulary)
    rows = np.concatenate([undisturbed(feed.batch(step, s.batch)) for step in range(s.steps)])  # (N, T)
    checks = [*Batches(run, ready.valid, ready.tokenizer.vocabulary, validating=True).validation()]
    questions = {f"{name}.{n}": value for n, batch in enumerate(checks) for name, value in _question(batch).items()}
    save_file({"rows": rows, **questions}, place / "text.safetensors")
    size = ready.tokenizer.vocabulary.size
    weights = {name: tensor.numpy() for name, tensor in weights_of(build(run, size, 0)).items()}
    save_file(weights, place / "start.safetensors")
    facts = {
        "specials": ready.tokenizer.vocabulary.specials,
        "size": size,
        "settings": s.dump(),
        "plan": run.training,
        "ends": s.ends,
    }
    (place / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    return size


def undisturbed(batch: Batch) -> NDArray[np.int64]:
    """The rows before anything was hidden: (B, T)."""
    assert batch.asked is not None and batch.answers is not None
    flat = batch.shown.numpy().reshape(-1).copy()
    flat[batch.asked.numpy()] = batch.answers.numpy()
    return flat.reshape(batch.shown.shape)


def _question(batch: Batch) -> dict[str, NDArray[np.int64]]:
    assert batch.asked is not None and batch.answers is not None
    return {"shown": batch.shown.numpy(), "asked": batch.asked.numpy(), "answers": batch.answers.numpy()}


def _judged(
    arms: dict[str, list[Timed]], s: MlmTraining, vocabulary: int, threads: int
) -> tuple[dict[str, Any], list[str]]:
    speed = {
        arm: s.batch * s.context / statistics.median(t.step_seconds for t in timings) for arm, timings in arms.items()
    }
    found = verdict(arms, lambda timed: timed.step_seconds, (START_TOLERANCE, END_TOLERANCE))
    document = {
        "benchmark": "mlm_training",
        "tokens_per_second": {arm: round(value, 1) for arm, value in speed.items()},
        **found.document(),
        "settings": {**s.dump(), "vocabulary": vocabulary, "threads": threads},
        "versions": versions(("torch", *PEER)),
    }
    before, after = found.apart
    return document, [
        f"ours {speed['ours']:,.0f} tokens a second, transformers' Trainer {speed['peer']:,.0f}",
        f"losses differ by {before:.1e} nats on one batch before training, by {after:.3f} on validation after it",
        found.line(),
    ]
