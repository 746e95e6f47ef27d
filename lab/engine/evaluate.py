"""How good a model is on text that it has not seen, beside the yardsticks that it must beat.

B batch   T tokens   N asked positions
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.batch import Batch, Document, Output
from lab.engine.baselines import Counts
from lab.engine.corpus import Stream, documents_of, labelled_split, prepare, split, stream_of
from lab.engine.data import Feed, LabelledFeed
from lab.engine.model import Trained
from lab.engine.run import IMPORTED, RunFolder
from lab.settings import SettingsError

SAMPLE = 2048  # rows in which answers are counted


def check(
    model: nn.Module, feed: Feed | LabelledFeed, device: torch.device | str = "cpu", limit: int | None = None
) -> dict[str, float]:
    """Loss in nats per answer and accuracy, at tokens and about sequences, over the feed's fixed validation rows."""
    tokens, sequences = _Tally(), _Tally()
    with torch.inference_mode():
        for batch in feed.checks(limit) if limit else feed.checks():
            moved = batch.to(device)
            output: Output = model(moved)
            if output.tokens is not None and moved.answers is not None:
                tokens.add(output.tokens, moved.answers)
            if output.sequence is not None and moved.label is not None:
                sequences.add(output.sequence, moved.label)
    found: dict[str, float] = {}
    if tokens.count:
        found |= {"loss": tokens.loss, "accuracy": tokens.accuracy, "perplexity": math.exp(min(tokens.loss, 700))}
    if sequences.count:
        prefix = "sequence_" if tokens.count else ""
        found |= {f"{prefix}loss": sequences.loss, f"{prefix}accuracy": sequences.accuracy}
    return {name: round(value, 6) for name, value in found.items()}


def baselines_of(feed: Feed, checks: Feed) -> dict[str, float]:
    """Nats per answer of guessing evenly, by frequency and by the token before, on the questions of ``checks``."""
    return _against(counts_of(feed), [truth(batch) for batch in checks.checks()])


def counts_of(feed: Feed) -> Counts:
    """How often each token, and each after each other, stands in what a run learns to say: in its text, or in the
    answers to a first sample of it where the answers are to be written, for those hold marks that no text holds."""
    if not feed.writes:
        return Counts.of(feed.stream.ids, feed.vocabulary.size)
    rows = [feed.batch(step, SAMPLE // 8) for step in range(min(8, math.ceil(8 * feed.rows / SAMPLE)))]
    before, answers = (np.concatenate(parts) for parts in zip(*map(truth, rows), strict=True))
    return Counts.of_pairs(before, answers, feed.vocabulary.size)


def majority(feed: LabelledFeed, checks: LabelledFeed) -> dict[str, float]:
    """Accuracy of always naming the class that is most common in training, and of guessing evenly."""
    names, times = np.unique(feed.labels, return_counts=True)
    return {"even": round(1 / len(names), 6), "majority": float((checks.labels == names[times.argmax()]).mean())}


def evaluate(trained: Trained, folder: RunFolder, documents: Sequence[Document] | None = None) -> dict[str, Any]:
    """The model on a corpus (its own validation part where none is given), over every window of it.

    ``loss`` is in nats per asked token, ``bits_per_byte`` over the bytes of the asked tokens, and the baselines,
    counted on what the run learnt from, are in nats per asked token on the same questions. Nobody here knows what an
    imported run learnt from: the baselines are counted on nine tenths of the corpus, and all is measured on the rest.
    """
    if trained.run.kind == IMPORTED and documents is None:
        raise SettingsError(
            "an imported run has no corpus of its own: name one to measure it on",
            "导入的模型没有自己的语料：请指定用来评估的语料",
        )
    if trained.run.task:
        return _evaluate_classes(trained, documents)
    learnt, stream = _streams(trained, folder, documents)
    alone = trained.run.load(trained.run.dump() | {"pair": None, "pair_settings": {}})
    feed = Feed(alone, stream, trained.tokenizer.vocabulary, checking=True)
    tally, truths = _Tally(), []
    with torch.inference_mode():
        for batch in feed.everything():
            moved = batch.to(trained.device)
            assert moved.answers is not None
            tally.add(trained.model(moved).tokens, moved.answers)
            truths.append(truth(batch))
    vocabulary = trained.tokenizer.vocabulary
    counts = counts_of(Feed(alone, learnt, vocabulary)) if feed.writes else Counts.of(learnt.ids, vocabulary.size)
    read = sum(int(trained.tokenizer.token_bytes[answers].sum()) for _, answers in truths)
    return {
        "loss": tally.loss,
        "bits_per_byte": tally.loss * tally.count / math.log(2) / max(read, 1),
        "perplexity": math.exp(min(tally.loss, 700)),
        "accuracy": tally.accuracy,
        "tokens": tally.count,
        "baselines": _against(counts, truths),
    }


def _streams(trained: Trained, folder: RunFolder, documents: Sequence[Document] | None) -> tuple[Stream, Stream]:
    """What the baselines are counted on, and what is measured."""
    if trained.run.kind == IMPORTED and documents is not None:
        learnt, held = (stream_of(part, trained.tokenizer) for part in split(documents))
        return learnt, held
    ready = prepare(folder)
    return ready.train, ready.valid if documents is None else stream_of(documents, trained.tokenizer)


def truth(batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The token before each asked one in the undisturbed text, and the asked one itself: two arrays (N,)."""
    assert batch.asked is not None and batch.answers is not None
    asked, answers = batch.asked.numpy(), batch.answers.numpy()
    if batch.following:
        return batch.shown.numpy().reshape(-1)[asked], answers
    original = batch.shown.numpy().reshape(-1).copy()
    original[asked] = answers
    step = 1 if batch.backwards is None else np.where(batch.backwards.numpy()[asked // batch.shown.shape[1]], -1, 1)
    return original[np.clip(asked - step, 0, len(original) - 1)], answers


class _Tally:
    """Sums of nats and hits over batches."""

    def __init__(self) -> None:
        self.nats, self.hits, self.count = 0.0, 0, 0

    def add(self, logits: torch.Tensor, answers: torch.Tensor) -> None:
        self.nats += nn.functional.cross_entropy(logits.float(), answers, reduction="sum").item()
        self.hits += int((logits.argmax(-1) == answers).sum())
        self.count += len(answers)

    @property
    def loss(self) -> float:
        return self.nats / max(self.count, 1)

    @property
    def accuracy(self) -> float:
        return self.hits / max(self.count, 1)


def _against(counts: Counts, truths: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> dict[str, float]:
    before = np.concatenate([pair[0] for pair in truths])
    answers = np.concatenate([pair[1] for pair in truths])
    lines = {
        "uniform": counts.uniform(answers),
        "unigram": counts.unigram(answers),
        "bigram": counts.bigram(before, answers),
    }
    return {name: round(float(nats.mean()), 6) for name, nats in lines.items()}


def _evaluate_classes(trained: Trained, documents: Sequence[Document] | None) -> dict[str, Any]:
    imported = trained.run.kind == IMPORTED and documents is not None
    train_part, check_part = labelled_split(documents if imported and documents else documents_of(trained.run))
    chosen = check_part if documents is None or imported else documents
    feeds = [LabelledFeed(trained.run, part, trained.tokenizer, trained.given) for part in (train_part, chosen)]
    found = check(trained.model, feeds[1], trained.device, limit=len(chosen))
    return {**found, "texts": len(chosen), "baselines": majority(feeds[0], feeds[1])}
