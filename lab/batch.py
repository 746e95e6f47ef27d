"""What travels between the floors: documents, exercises, batches and outputs.

B batch   T tokens   S tokens of a source, or those looked at   M tokens before the row   N asked positions
V vocabulary   C classes
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from lab.cross_entropy import cross_entropy

Visible = Literal["all", "causal"] | NDArray[np.bool_]


@dataclass(frozen=True)
class Document:
    """One text of a corpus, with its label where it has one. Texts that tell the same ``story``, in two languages, are
    never parted: one learnt from would tell what is in the other. ``nats`` is -log p of the text where that is known,
    because it was drawn from a known distribution."""

    text: str
    label: int | None = None
    story: int | None = None
    nats: float | None = None


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What an objective makes of rows of ids: what is shown, who may look at whom, what is asked.

    ``asked`` marks the positions at which the model must answer and ``answers`` holds the right ids there (its other
    cells mean nothing): the token that stands there, or, where ``following``, the one that comes next. ``visible`` is
    "all", "causal" or a table whose cell (t, s) says whether t may look at s. ``real`` is False at padding that the
    objective itself made. Where there is a ``source``, an encoder reads it, and ``shown`` is what a decoder has
    written of its answer so far. ``positions`` (position ids) say where a token stands if that is not simply its
    index. An ``order`` says in which turn each token is read, -1 for those that all may see from the start; what is
    asked is then shown for the sake of later turns, and must be answered by a stream that does not see it.
    ``backwards`` says which rows are read from their end. ``before`` are ids that stand just before the row, to be
    remembered, not asked about.
    """

    shown: NDArray[np.int64]  # (B, T)
    asked: NDArray[np.bool_]  # (B, T)
    answers: NDArray[np.int64]  # (B, T)
    following: bool = False
    visible: Visible = "all"  # a table is (T, T) or (B, T, T)
    segments: NDArray[np.int64] | None = None  # (B, T)
    real: NDArray[np.bool_] | None = None  # (B, T)
    positions: NDArray[np.int64] | None = None  # (B, T, P): P numbers for each token
    source: NDArray[np.int64] | None = None  # (B, S)
    source_real: NDArray[np.bool_] | None = None  # (B, S)
    order: NDArray[np.int64] | None = None  # (B, T)
    backwards: NDArray[np.bool_] | None = None  # (B,)
    before: NDArray[np.int64] | None = None  # (B, M)

    def but_last(self) -> Self:
        """The same rows without their last token, which was there to be an answer: (B, T - 1)."""
        visible = self.visible
        return replace(
            self,
            shown=np.ascontiguousarray(self.shown[:, :-1]),
            asked=self.asked[:, :-1],
            answers=self.answers[:, :-1],
            visible=visible if isinstance(visible, str) else np.ascontiguousarray(visible[..., :-1, :-1]),
            real=None if self.real is None else self.real[:, :-1],
        )

    def table(self) -> NDArray[np.bool_]:
        """``visible`` written out: (T, T) or (B, T, T)."""
        t = self.shown.shape[-1]
        if isinstance(self.visible, str):
            full = np.ones((t, t), dtype=bool)
            return np.tril(full) if self.visible == "causal" else full
        return self.visible


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two segments of text and what a sentence-pair objective asks about them."""

    first: NDArray[np.int64]  # (T1,)
    second: NDArray[np.int64]  # (T2,)
    answer: int


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What a model reads, on one device. ``asked`` are flat positions b * T + t: logits are computed only there.

    Elsewhere ``shown`` is called input_ids, ``real`` attention_mask, ``segments`` token_type_ids, ``positions``
    position_ids and ``answers``, which holds nothing but the asked tokens, labels.
    """

    shown: Tensor  # (B, T) int64
    visible: Literal["all", "causal"] | Tensor = "all"  # a table is (T, T) or (B, T, T) bool
    real: Tensor | None = None  # (B, T) bool, False at padding; None where nothing is padded
    segments: Tensor | None = None  # (B, T) int64
    positions: Tensor | None = None  # (B, T, P) int64
    source: Tensor | None = None  # (B, S) int64: what an encoder reads
    source_real: Tensor | None = None  # (B, S) bool, False at padding; None where nothing is padded
    order: Tensor | None = None  # (B, T) int64: the turn of each token; the asked are answered by a stream without them
    backwards: Tensor | None = None  # (B,) bool: which rows are read from their end
    before: Tensor | None = None  # (B, M) int64: the ids just before the row, to be remembered
    asked: Tensor | None = None  # (N,) int64
    most: int | None = None  # the most that one row is asked, where that is known
    answers: Tensor | None = None  # (N,) int64
    following: bool = False  # whether an answer is the token after its asked position, and not the one at it
    label: Tensor | None = None  # (B,) int64: the answer about the whole sequence; (U,) of U units of several rows
    unit: Tensor | None = None  # (B,) int64: which rows are judged together, where several are
    value: Tensor | None = None  # (B,) float32: a number to be said about the whole sequence
    tags: Tensor | None = None  # (B, T) int64: a class for each token, -100 where nothing is asked
    class_weights: Tensor | None = None  # (C,) float32: how much an answer of each class counts, where not one
    answer: Tensor | None = None  # (B, 2) int64: the first and the last token of an answer

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        tensors = {f.name: getattr(self, f.name) for f in fields(self)}
        moved: dict[str, Any] = {name: value.to(device) for name, value in tensors.items() if isinstance(value, Tensor)}
        return replace(self, **moved)


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a model answers: logits at the asked positions, and about the whole sequence and about each of its tokens if
    it has such heads.

    ``parts`` are losses in nats that the model alone can work out, ready weighted: those of a second network that
    learns from its answers, or of negative samples. One named "tokens" stands in for the cross-entropy of ``tokens``.
    A second network that says of every token whether it was replaced also gives its scores and what is true. ``counts``
    say over how many answers (or over what sum of weights) a part is a mean, where that is not every answer.
    """

    tokens: Tensor | None = None  # (N, V)
    sequence: Tensor | None = None  # (B, C)
    each: Tensor | None = None  # (B, T, C)
    parts: Mapping[str, Tensor] = field(default_factory=dict)
    counts: Mapping[str, Tensor | int] = field(default_factory=dict)
    suspected: Tensor | None = None  # (B, T) above 0 where a token is held for a replaced one
    replaced: Tensor | None = None  # (B, T) bool


def source_of(batch: Batch) -> Batch:
    """The batch that an encoder reads."""
    assert batch.source is not None, "an encoder needs a source"
    return Batch(shown=batch.source, real=batch.source_real)


def collate(exercise: Exercise, real: NDArray[np.bool_] | None = None, label: NDArray[np.int64] | None = None) -> Batch:
    """The exercise as tensors. ``real`` (B, T) is False at padding, ``label`` (B,) the answer about each row."""
    visible = exercise.visible
    # Flat places of what is asked: the head then works on N rows instead of B * T, with no holes.
    flat = np.flatnonzero(exercise.asked)  # (N,)
    real = exercise.real if real is None else real
    return Batch(
        shown=torch.from_numpy(exercise.shown),
        visible=visible if isinstance(visible, str) else torch.from_numpy(visible),
        real=_padding(real),
        segments=_tensor(exercise.segments),
        positions=_tensor(exercise.positions),
        source=_tensor(exercise.source),
        source_real=_padding(exercise.source_real),
        order=_tensor(exercise.order),
        backwards=_tensor(exercise.backwards),
        before=_tensor(exercise.before),
        asked=torch.from_numpy(flat) if len(flat) else None,
        most=int(exercise.asked.sum(1).max()),
        answers=torch.from_numpy(exercise.answers.reshape(-1)[flat]) if len(flat) else None,
        following=exercise.following,
        label=_tensor(label),
    )


def _tensor(values: NDArray[Any] | None) -> Tensor | None:
    return None if values is None else torch.from_numpy(values)


def _padding(real: NDArray[np.bool_] | None) -> Tensor | None:
    """None where nothing is padded, so that attention can do without a table."""
    return None if real is None or real.all() else torch.from_numpy(real)


def losses(output: Output, batch: Batch) -> dict[str, Tensor]:
    """The mean cross-entropy in nats of each kind of answer that the batch asks for; they add up to the loss."""
    # A model that works out its own loss (negative sampling, two readings) has put it under the same name.
    parts = dict(output.parts)
    if output.tokens is not None and batch.answers is not None and "tokens" not in parts:
        parts["tokens"] = cross_entropy(output.tokens.float(), batch.answers)
    if output.sequence is not None and batch.label is not None:
        parts["sequence"] = functional.cross_entropy(output.sequence.float(), batch.label)
    return parts


def counts(output: Output, batch: Batch) -> dict[str, float]:
    """Over how many answers each of the ``losses`` is a mean: by these the means of several batches become the mean of
    all their answers."""
    denominators: dict[str, float] = {}
    if batch.answers is not None:
        denominators["tokens"] = len(batch.answers)
    if batch.label is not None:
        denominators["sequence"] = len(batch.label)
    return denominators | {name: float(count) for name, count in output.counts.items()}
