"""Validation: loss and accuracy on text that a model has not seen, beside the baselines that it must beat.

B batch   T tokens   N asked positions
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.batch import Batch, Output
from lab.data.baselines import BaselineMeans, Counts
from lab.data.batches import Batches
from lab.data.byte_lengths import byte_lengths
from lab.data.corpus import Prepared, prepare, recurring
from lab.data.labelled_batches import LabelledBatches
from lab.data.stream import Stream, stream_of
from lab.inference.model import Trained
from lab.runs.folder import RunFolder
from lab.runs.run import ANYWHERE, IMPORTED, Run
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.training.evaluate_task import check_task, evaluate_task

SAMPLE = 2048  # rows in which answers are counted
FOLDS = 10  # parts of a corpus, each held against counts of the others


def check(
    model: nn.Module, feed: Batches | LabelledBatches, device: torch.device | str = "cpu", limit: int | None = None
) -> dict[str, Any]:
    """Loss in nats per answer and accuracy, at tokens and about sequences, over the feed's fixed validation rows; of
    labelled texts the measures of their task."""
    if isinstance(feed, LabelledBatches):
        return check_task(model, feed, device, limit)
    sums = _Sums(feed)
    with torch.no_grad():  # not inference_mode: what a sharded model gathers here it goes on with in training
        for batch in feed.validation(limit) if limit else feed.validation():
            sums.ask(model, batch, device)
    return {name: round(value, 6) for name, value in sums.found().items()}


def baselines_of(feed: Batches, checks: Batches) -> dict[str, float]:
    """Nats per answer of guessing evenly, by frequency and by the token before, on the questions of ``checks``, and the
    floor below them where it is known."""
    return _against(counts_of(feed), [truth(batch) for batch in checks.validation()]) | floor_of(checks)


def floor_of(feed: Batches) -> dict[str, float]:
    """The entropy of the text in nats per token, which no model that predicts all of it from left to right can beat;
    nothing where the text was not drawn from a known distribution, or the objective asks something else."""
    nats, objective = feed.stream.nats, feed.objective
    if nats is None or not objective.left_to_right or objective.given or feed.writes:
        return {}
    return {"floor": round(nats / max(len(feed.stream.ids), 1), 6)}


def bytes_per_token(checks: Batches, tokenizer: Tokenizer) -> float:
    """The mean length in bytes of the answers to ``checks``: by it and the logarithm of 2, nats per token become bits
    per byte, which models with other tokenizers can be held against."""
    answers = np.concatenate([truth(batch)[1] for batch in checks.validation()])
    if not len(answers):
        raise _nothing_asked()
    return float(byte_lengths(checks.stream, tokenizer)[answers].mean())


def _nothing_asked() -> SettingsError:
    return SettingsError(
        "nothing can be asked about the text to be checked on: add text, or choose another tokenizer",
        "用于检验的文本没有可以提问的词元：请增加文本，或换一种分词器",
    )


def counts_of(feed: Batches) -> Counts:
    """How often each token, and each after each other, stands in what a run learns to say: in its text, or in the
    answers to a first sample of it where the answers are to be written, for those hold marks that no text holds."""
    if not feed.writes:
        return Counts.of(feed.stream.ids, feed.vocabulary.size)
    rows = [feed.batch(step, SAMPLE // 8) for step in range(min(8, math.ceil(8 * feed.rows / SAMPLE)))]
    before, answers = (np.concatenate(parts) for parts in zip(*map(truth, rows), strict=True))
    return Counts.of_pairs(before, answers, feed.vocabulary.size)


def evaluate(
    trained: Trained, folder: RunFolder, documents: Sequence[Any] | None = None, stride: int | None = None
) -> dict[str, Any]:
    """The model on a corpus, all of it (its own validation part where none is given).

    ``loss`` is in nats per asked token, ``bits_per_byte`` over the bytes of the asked tokens; of two readings ``loss``
    is the mean of theirs, ``accuracy`` that of both together. The baselines, in nats
    per asked token on the same questions, are counted on what the run learnt from; where that is not known, as of an
    imported run, or no longer here, each tenth is held against counts of the other nine. ``read`` says what was
    measured, and how many of its sentences stand word for word in what the run learnt from. Of a model that reads from
    left to right, a ``stride`` shorter than its context shows every token more of its past.
    """
    if trained.run.kind == IMPORTED and documents is None:
        raise SettingsError(
            "an imported run has no corpus of its own: name one to measure it on",
            "导入的模型没有自己的语料：请指定用来评估的语料",
        )
    if trained.run.task:
        if stride is not None:
            raise SettingsError(
                "a run that was fine-tuned reads each text on its own: leave the stride out",
                "微调过的训练逐条读取文本：请去掉步幅",
            )
        return evaluate_task(trained, documents)
    ready = _learnt_from(folder, needed=documents is None)
    held = ready.valid if ready and documents is None else stream_of(documents or (), trained.tokenizer)
    alone = trained.run.load(trained.run.dump() | {"pair": None, "pair_settings": {}})
    feed = Batches(alone, held, trained.tokenizer.vocabulary, validating=True)
    windows = feed.windows(stride)
    parts = np.array_split(windows, min(FOLDS, len(windows))) if ready is None else [windows]
    sums, lines, read, asked = _Sums(feed), BaselineMeans(), 0.0, 0
    lengths = byte_lengths(held, trained.tokenizer)
    with torch.inference_mode():
        for part in parts:
            truths = []
            for batch in feed.over(part, asked=asked):
                if batch.asked is not None:
                    sums.ask(trained.model, batch, trained.device)
                    truths.append(truth(batch))
            asked = int(part[-1, 1])
            learnt = _without(held, part) if ready is None else ready.train.ids
            lines.add(_counted(alone, feed, learnt), truths)
            read += sum(float(lengths[answers].sum()) for _, answers in truths)
    if not sums.tokens.count:
        raise _nothing_asked()
    measured = sums.found()
    return {
        **measured,
        "bits_per_byte": sums.tokens.nats / math.log(2) / max(read, 1.0),
        "tokens": sums.tokens.count,
        **_pairs(trained, held),
        "read": {
            "part": "validation" if documents is None else "all",
            "documents": int((held.ids == trained.tokenizer.vocabulary.end).sum()),
            "tokens": len(held.ids),
            "windows": len(windows),
            "longest": int((windows[:, 1] - windows[:, 0]).max()),
            "stride": int(windows[1, 0] - windows[0, 0]) if len(windows) > 1 else None,
            **({} if ready is None else {"recurring": recurring(ready.train, held)}),
        },
        "baselines": lines.found() | floor_of(feed),
    }


def _learnt_from(folder: RunFolder, *, needed: bool) -> Prepared | None:
    """What the run learnt from; None of an imported one and, unless it is ``needed``, where its text has gone."""
    if folder.run.kind == IMPORTED:
        return None
    try:
        return prepare(folder)
    except SettingsError:
        if needed:
            raise
        return None


def _without(held: Stream, windows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ids of a stream but for those of neighbouring windows."""
    return np.concatenate([held.ids[: windows[0, 0]], held.ids[windows[-1, 1] :]])


def _counted(alone: Run, feed: Batches, ids: NDArray[np.int64]) -> Counts:
    """As ``counts_of``, of these ids; where answers hold marks and the ids are too few for a row, of the ids."""
    if not feed.writes or len(ids) <= feed.room:
        return Counts.of(ids, feed.vocabulary.size)
    nothing = np.zeros(1, dtype=np.int64)
    # Of the ids no sentences are known; an imported run has no plan of its own.
    plain = replace(alone, training={"steps": 1, **alone.training, "packing": ANYWHERE})
    return counts_of(Batches(plain, Stream(ids, nothing, nothing), feed.vocabulary))


def _pairs(trained: Trained, held: Stream) -> dict[str, float]:
    """What a model that learnt about pairs of sentences says of all pairs of the text, beside the commonest answer."""
    if not trained.run.pair:
        return {}
    feed, tally, yes = Batches(trained.run, held, trained.tokenizer.vocabulary, validating=True), _Tally(), 0
    with torch.inference_mode():
        for batch in feed.validation(limit=len(held.ids)):
            output: Output = trained.model(batch.to(trained.device))
            assert output.sequence is not None and batch.label is not None
            tally.add(output.sequence, batch.label.to(trained.device))
            yes += int(batch.label.sum())
    most = max(yes, tally.count - yes) / max(tally.count, 1)
    named = {"loss": tally.loss, "accuracy": tally.accuracy, "majority": most}
    return {**{f"sequence_{name}": value for name, value in named.items()}, "pairs": tally.count}


def truth(batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The token before each asked one in the undisturbed text, and the asked one itself: two arrays (N,)."""
    if batch.asked is None or batch.answers is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
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

    def add(self, logits: torch.Tensor, answers: torch.Tensor, mean: torch.Tensor | None = None) -> None:
        """``mean`` is the loss of a model that works it out itself, as that of two readings."""
        own = None if mean is None else mean.item() * len(answers)
        self.nats += (
            nn.functional.cross_entropy(logits.float(), answers, reduction="sum").item() if own is None else own
        )
        self.hits += int((logits.argmax(-1) == answers).sum())
        self.count += len(answers)

    @property
    def loss(self) -> float:
        return self.nats / max(self.count, 1)

    @property
    def accuracy(self) -> float:
        return self.hits / max(self.count, 1)


class _Sums:
    """What a model says about tokens, about whole sequences and, where it has a second network, about which tokens were
    replaced. Where answers are written with marks and an end, which are no text, the text is told apart."""

    def __init__(self, feed: Batches) -> None:
        self.tokens, self.text, self.sequences, self.suspicions = _Tally(), _Tally(), _Tally(), _Tally()
        self._originals = 0
        self._special = np.zeros(0, dtype=np.int64)
        if "writes" in feed.objective.traits:
            every = np.arange(feed.vocabulary.size)
            self._special = every[feed.vocabulary.is_special(every)]

    def ask(self, model: nn.Module, batch: Batch, device: torch.device | str) -> None:
        moved = batch.to(device)
        output: Output = model(moved)
        if output.tokens is not None and moved.answers is not None:
            self.tokens.add(output.tokens, moved.answers, output.parts.get("tokens"))
            if len(self._special):
                plain = ~torch.isin(moved.answers, torch.from_numpy(self._special).to(moved.answers.device))
                self.text.add(output.tokens[plain], moved.answers[plain])
        if output.sequence is not None and moved.label is not None:
            self.sequences.add(output.sequence, moved.label)
        if output.suspected is not None and output.replaced is not None:
            real = torch.ones_like(output.replaced) if moved.real is None else moved.real
            suspected, replaced = output.suspected[real], output.replaced[real]  # (M,) each, of M real tokens
            self.suspicions.add(torch.stack([torch.zeros_like(suspected), suspected], -1), replaced.long())
            self._originals += int((~replaced).sum())

    def found(self) -> dict[str, float]:
        tokens, sequences, suspicions = self.tokens, self.sequences, self.suspicions
        measured: dict[str, float] = {}
        if tokens.count:
            measured |= {
                "loss": tokens.loss,
                "accuracy": tokens.accuracy,
                "perplexity": math.exp(min(tokens.loss, 700)),
            }
        if self.text.count:
            measured |= {"text_loss": self.text.loss, "text_accuracy": self.text.accuracy}
            measured |= {"marks_and_end": 1 - self.text.count / tokens.count}
        if sequences.count:
            prefix = "sequence_" if tokens.count else ""
            measured |= {f"{prefix}loss": sequences.loss, f"{prefix}accuracy": sequences.accuracy}
        if suspicions.count:  # always to say "original" is right so often
            measured |= {"discriminator_loss": suspicions.loss, "discriminator_accuracy": suspicions.accuracy}
            measured |= {"discriminator_majority": self._originals / suspicions.count}
        return measured


def _against(counts: Counts, truths: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> dict[str, float]:
    lines = BaselineMeans()
    lines.add(counts, truths)
    return lines.found()
