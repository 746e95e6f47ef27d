"""Evaluation of fine-tuning: what a model says of examples that it has not seen, by the measures of its task.

B rows   T tokens   C classes
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import nn

from lab.batch import Output
from lab.data.corpus import by_story
from lab.data.labelled_batches import Judged, LabelledBatches
from lab.data.reading import as_examples, parts_of
from lab.entries import TaskEntry
from lab.examples import Prediction, dealt
from lab.inference.answering import answer
from lab.inference.model import Trained
from lab.runs.run import IMPORTED
from lab.tasks.metrics.bootstrap import interval
from lab.tasks.metrics.wilson import wilson
from lab.tasks.parts.batching import scores_of

WRITTEN = 200  # examples for which a target is written: that takes its time


def check_task(
    model: nn.Module, feed: LabelledBatches, device: torch.device | str = "cpu", limit: int | None = None
) -> dict[str, Any]:
    """The mean loss over the first ``limit`` examples, and the task's measures. Where an answer is written, that takes
    longer than training may wait: how often the next token of a target is the likeliest."""
    return judge(model, feed, device, limit)[0]


def judge(
    model: nn.Module, feed: LabelledBatches, device: torch.device | str = "cpu", limit: int | None = None
) -> tuple[dict[str, Any], list[Prediction]]:
    """The same, with what the model says of each example."""
    nats, hits, count, texts, predicted = 0.0, 0, 0.0, 0, list[Prediction]()
    for judged in feed.judged(limit) if limit else feed.judged():
        batch = judged.batch.to(device)
        with torch.no_grad():  # not inference_mode: what a sharded model gathers here it goes on with in training
            output: Output = model(batch)
        loss, answers = feed.task.loss(output, batch)
        nats, count = nats + loss.item() * answers, count + answers
        if feed.task.predict is None and output.tokens is not None:
            assert batch.answers is not None
            hits += int((output.tokens.argmax(-1) == batch.answers).sum())
        predicted += predictions(output, judged, feed)
        texts += len(judged.examples)
    measured: dict[str, Any] = {"loss": round(nats / max(count, 1), 6), "texts": texts}
    if feed.task.predict is None:
        return measured | {"accuracy": round(hits / max(count, 1), 6)}, predicted
    return measured | feed.task.measure(predicted, feed.examples[: len(predicted)], feed.labels), predicted


def score_of(measured: Mapping[str, Any], task: TaskEntry) -> float:
    """The measure that counts, of those that were taken."""
    return float(measured.get(score_in(measured, task), 0.0))


def score_in(measured: Mapping[str, Any], task: TaskEntry) -> str:
    """The name of the measure that counts; accuracy where that was not taken: of tags that name no entities, of what is
    not yet written."""
    return task.score if task.score in measured else "accuracy"


def predictions(output: Output, judged: Judged, feed: LabelledBatches) -> list[Prediction]:
    """What the model's answers to a batch say of each of its examples; nothing where an answer is written."""
    if feed.task.predict is None:
        return []
    scores = iter(scores_of([unit for units in judged.units for unit in units], output, feed.task))
    return [
        feed.task.predict(example, units, [*islice(scores, len(units))], feed.labels, feed.settings)
        for example, units in zip(judged.examples, judged.units, strict=True)
    ]


def evaluate_task(trained: Trained, documents: Sequence[Any] | None = None) -> dict[str, Any]:
    """A fine-tuned model on examples, or on those that its run keeps for validation: loss, the task's measures, the
    95 % interval ``of`` the one that counts, and what others reach who have not read the examples."""
    if trained.run.kind == IMPORTED and documents is not None:
        learnt, chosen = as_examples(documents), as_examples(documents)
    else:
        parts = parts_of(trained.run, trained.labels)
        learnt, chosen = [*parts.train], as_examples(parts.valid if documents is None else documents)
    feed = LabelledBatches(trained.run, chosen, trained.tokenizer, trained.labels)
    task, labels = feed.task, trained.labels
    measured, answers = judge(trained.model, feed, trained.device, limit=len(chosen))
    if task.predict is None:
        chosen = [chosen[number] for number in dealt(len(chosen))[:WRITTEN]]
        answers = [answer(trained, example) for example in chosen]
        measured |= {"written": len(chosen), **task.measure(answers, chosen, labels)}

    def score(numbers: np.ndarray) -> float:
        return score_of(task.measure([answers[n] for n in numbers], [chosen[n] for n in numbers], labels), task)

    if task.score == "accuracy":
        low, high = wilson(measured["accuracy"], len(chosen))
    else:
        low, high = interval(score, by_story(chosen, range(len(chosen))))
    within = {"of": score_in(measured, task), "low": round(low, 6), "high": round(high, 6)}
    return {**measured, "interval": within, "baselines": task.yardsticks(learnt, chosen, labels)}
