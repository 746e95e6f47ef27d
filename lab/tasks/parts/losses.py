"""The losses of fine-tuning: each the mean over the answers of a batch, and over how many it is one.

B batch   T tokens   C classes   U units   K choices   N asked positions
"""

import torch
from torch import Tensor
from torch.nn import functional

from lab.batch import Batch, Output

Loss = tuple[Tensor, float]


def of_classes(output: Output, batch: Batch) -> Loss:
    """The cross-entropy of each text's class, in nats."""
    assert output.sequence is not None and batch.label is not None
    return _weighted(output.sequence, batch.label, batch)


def _weighted(scores: Tensor, classes: Tensor, batch: Batch) -> Loss:
    """The mean of the cross-entropies of ``classes`` (N,), each counted as much as its class; ``scores`` are (N, C)."""
    weights = batch.class_weights
    total = functional.cross_entropy(scores.float(), classes, weight=weights, reduction="sum")
    count = float(len(classes) if weights is None else weights[classes].sum())
    return total / (count or 1.0), count


def of_values(output: Output, batch: Batch) -> Loss:
    """The squared error of each text's value."""
    assert output.sequence is not None and batch.value is not None
    return functional.mse_loss(output.sequence[:, 0].float(), batch.value), len(batch.value)


def of_choices(output: Output, batch: Batch) -> Loss:
    """The cross-entropy of the right one among the choices of each unit, in nats."""
    assert output.sequence is not None and batch.label is not None and batch.unit is not None
    count = torch.bincount(batch.unit)  # (U,)
    place = torch.arange(len(batch.unit), device=count.device) - (count.cumsum(0) - count)[batch.unit]
    scores = output.sequence.new_full((len(count), int(count.max())), -torch.inf, dtype=torch.float32)  # (U, K)
    scores = scores.index_put((batch.unit, place), output.sequence[:, 0].float())
    return functional.cross_entropy(scores, batch.label), len(batch.label)


def of_tags(output: Output, batch: Batch) -> Loss:
    """The cross-entropy of the class of each word's first token, in nats."""
    assert output.each is not None and batch.tags is not None
    asked = batch.tags >= 0  # (B, T)
    return _weighted(output.each[asked], batch.tags[asked], batch)


def of_answers(output: Output, batch: Batch) -> Loss:
    """The cross-entropy of where an answer begins and of where it ends, in nats: the mean of both."""
    assert output.each is not None and batch.answer is not None
    scores = output.each.float()  # (B, T, 2)
    if batch.real is not None:
        scores = scores.masked_fill(~batch.real[:, :, None], torch.finfo(torch.float32).min)
    edges = scores.transpose(1, 2).flatten(0, 1), batch.answer.flatten()  # (2 B, T), (2 B,)
    return functional.cross_entropy(*edges), len(batch.answer)


def of_targets(output: Output, batch: Batch) -> Loss:
    """The cross-entropy of each token of the targets, in nats; sources are not asked."""
    assert output.tokens is not None and batch.answers is not None
    return functional.cross_entropy(output.tokens.float(), batch.answers), len(batch.answers)
