"""Holds a model of ours against its class in transformers: the same random numbers in both, everything compared.

Every parameter is random, also biases and norms, so that none can be missing or swapped unseen. One row is padded,
and only real positions are compared.

B batch   T tokens   W width   H heads   V vocabulary
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch, Output, losses
from lab.exchange.parts import Source, as_made
from lab.layers.attention import Attending
from lab.layers.kv_cache import Cache
from lab.layers.stacks import OneStack
from lab.layers.watch import looking

VOCABULARY, WIDTH, DEPTH, HEADS, FEED, CONTEXT, NARROW = 89, 24, 3, 3, 44, 20, 16
ROWS, TOKENS = 3, 13
LENGTHS = (13, 8, 13)  # the second row is padded
CLOSE = {torch.float32: 1e-5, torch.float64: 1e-10}
MAPS_CLOSE = {torch.float32: 1e-6, torch.float64: 1e-10}
ISLANDS = {torch.float32: 1e-5, torch.float64: 5e-6}  # for what works out norms and rotations in single precision
MAPS_ISLANDS = {torch.float32: 1e-6, torch.float64: 1e-6}


@dataclass
class Side:
    """What one of the two models computed, in the same words for both."""

    hidden: list[Tensor]  # (B, T, W) each
    maps: list[Tensor]  # (B, H, T, T) each
    tokens: Tensor  # (N, V)
    loss: Tensor
    sequence: Tensor | None = None  # (B, C)


@dataclass
class Parity:
    """Two models with the same parameters, and what both computed of the same batch."""

    ours: OneStack
    theirs: nn.Module
    batch: Batch
    mine: Side
    reference: Side
    rename: Callable[[dict[str, Tensor]], dict[str, Tensor]]
    close: dict[torch.dtype, float] = field(default_factory=lambda: CLOSE)
    maps_close: dict[torch.dtype, float] = field(default_factory=lambda: MAPS_CLOSE)
    idle: str = ""  # what stands in the names of theirs that nothing of this depends on

    def hidden_states_agree(self) -> None:
        assert len(self.mine.hidden) == len(self.reference.hidden) == DEPTH + 1
        for mine, theirs in zip(self.mine.hidden, self.reference.hidden, strict=True):
            close(mine[real()], theirs[real()], self.close)

    def attention_maps_agree(self) -> None:
        assert len(self.mine.maps) == len(self.reference.maps) == DEPTH
        for mine, theirs in zip(self.mine.maps, self.reference.maps, strict=True):
            close(mine.transpose(1, 2)[real()], theirs.transpose(1, 2)[real()], self.maps_close)

    def logits_agree(self) -> None:
        close(self.mine.tokens, self.reference.tokens, self.close)
        assert (self.mine.sequence is None) == (self.reference.sequence is None)
        if self.mine.sequence is not None and self.reference.sequence is not None:
            close(self.mine.sequence, self.reference.sequence, self.close)

    def losses_agree(self) -> None:
        assert abs(self.mine.loss.item() - self.reference.loss.item()) < 1e-5

    def gradients_agree(self) -> None:
        mine = gradients(self.ours, self._scalar(self.mine))
        theirs = self.rename(gradients(self.theirs, self._scalar(self.reference), self.idle))
        assert mine.keys() == theirs.keys()
        for name in mine:
            close(mine[name], theirs[name], self.close)

    def _scalar(self, side: Side) -> Tensor:
        """The loss in the precision of the model: the losses of both sides are always in single precision."""
        assert self.batch.answers is not None
        loss = functional.cross_entropy(side.tokens, self.batch.answers)
        if side.sequence is not None and self.batch.label is not None:
            loss = loss + functional.cross_entropy(side.sequence, self.batch.label)
        return loss


def compare(
    ours: OneStack,
    theirs: nn.Module,
    batch: Batch,
    answer: Callable[[nn.Module, Batch], Side],
    rename: Callable[[dict[str, Tensor]], dict[str, Tensor]],
    dtype: torch.dtype,
    within: dict[torch.dtype, float] = CLOSE,
    maps_within: dict[torch.dtype, float] = MAPS_CLOSE,
    idle: str = "",
) -> Parity:
    """Give both models the same random parameters, show both the batch. ``answer`` asks the reference. Where it has
    islands of single precision in double precision, both agree ``within`` less."""
    randomise(theirs)
    theirs, ours = theirs.to(dtype).eval(), ours.to(dtype).eval()
    copy_into(ours, rename(dict(theirs.named_parameters())))
    with seen(ours) as (hidden, maps):
        output = ours(batch)
    mine = Side(hidden, maps, output.tokens, total(output, batch), output.sequence)
    return Parity(ours, theirs, batch, mine, answer(theirs, batch), rename, within, maps_within, idle)


@torch.no_grad()
def randomise(model: nn.Module) -> None:
    """Give every parameter random values; those of one dimension that start at one stay near it."""
    dice = torch.Generator().manual_seed(11)
    for parameter in model.parameters():
        scale = parameter.dim() == 1 and bool((parameter == 1).all())
        noise = torch.randn(parameter.shape, generator=dice)
        parameter.copy_(1 + 0.2 * noise if scale else 0.1 * noise)


@torch.no_grad()
def copy_into(ours: nn.Module, values: dict[str, Tensor]) -> None:
    """Set every parameter of our model; a missing or surplus name is an error."""
    parameters = dict(ours.named_parameters())
    assert parameters.keys() == values.keys()
    for name, parameter in parameters.items():
        assert parameter.shape == values[name].shape, name
        parameter.copy_(values[name])


def translated(theirs: dict[str, Tensor], table: Mapping[str, Source], shape: Any = None) -> dict[str, Tensor]:
    """Tensors under our names, by the table that the importer reads: ``*`` stands for a block's number. Every tensor
    of theirs must be used."""
    named, used = {}, set()
    for mine, source in table.items():
        for n in range(DEPTH) if "*" in mine else [0]:
            for end in (".weight", ".bias", ""):
                made = as_made(source).numbered(str(n)).at(end)
                if all(path in theirs for path in made.of):
                    named[mine.replace("*", str(n)) + end] = made.here([theirs[path] for path in made.of], shape)
                    used |= {*made.of}
    assert used == theirs.keys(), theirs.keys() - used
    return named


@contextmanager
def seen(model: OneStack) -> Iterator[tuple[list[Tensor], list[Tensor]]]:
    """The hidden states and the attention maps of what runs inside the ``with``."""
    hidden: list[Tensor] = []
    maps: list[Tensor] = []
    looks = {part.watch: maps.append for part in model.modules() if isinstance(part, Attending)}
    with looking({model.stack.watch: hidden.append, **looks}):
        yield hidden, maps


def gradients(model: nn.Module, loss: Tensor, idle: str = "") -> dict[str, Tensor]:
    """The gradient of every parameter by name; one without a gradient is an error, unless its name holds ``idle``:
    then a gradient is one, and zeros stand in for it."""
    rests = {name: p for name, p in model.named_parameters() if idle and idle in name}
    used = {name: p for name, p in model.named_parameters() if name not in rests}
    found = torch.autograd.grad(loss, [*used.values()], retain_graph=True)
    none = torch.autograd.grad(loss, [*rests.values()], retain_graph=True, allow_unused=True) if rests else ()
    assert all(each is None for each in none)
    zeros = {name: torch.zeros_like(p) for name, p in rests.items()}
    return dict(zip(used, found, strict=True)) | zeros


def close(mine: Tensor, theirs: Tensor, within: dict[torch.dtype, float]) -> None:
    assert mine.dtype == theirs.dtype
    torch.testing.assert_close(mine, theirs, rtol=0, atol=within[mine.dtype])


def real() -> Tensor:
    """Where the rows are no padding: (B, T) bool."""
    return torch.arange(TOKENS)[None] < torch.tensor(LENGTHS)[:, None]


def key_bias(model: OneStack, block: int) -> Tensor:
    """The bias of the keys. It moves no output of plain attention: only the tensor itself can be compared. (W,)"""
    return dict(model.named_parameters())[f"stack.blocks.{block}.attention.qkv.bias"][WIDTH : 2 * WIDTH]


def gaps() -> Batch:
    """Rows with gaps in two segments, and a question about each row."""
    dice = torch.Generator().manual_seed(5)
    shown = torch.randint(1, VOCABULARY, (ROWS, TOKENS), generator=dice) * real()
    asked = torch.tensor([1, 4, 11, TOKENS, TOKENS + 7, 2 * TOKENS + 3, 2 * TOKENS + 12])
    return Batch(
        shown=shown,
        real=real(),
        segments=(torch.arange(TOKENS) >= torch.tensor([5, 3, 9])[:, None]).long(),
        asked=asked,
        answers=torch.randint(0, VOCABULARY, asked.shape, generator=dice),
        label=torch.tensor([0, 1, 1]),
    )


def rows() -> Tensor:
    """Rows of tokens, the second of them padded."""
    return torch.randint(1, VOCABULARY, (ROWS, TOKENS), generator=torch.Generator().manual_seed(5)) * real()


def next_tokens() -> Batch:
    """Each real token but the first of its row is asked of the one before it."""
    shown, asked = rows(), real()[:, 1:]
    row, place = asked.nonzero(as_tuple=True)
    return Batch(shown=shown, real=real(), visible="causal", asked=row * TOKENS + place, answers=shown[:, 1:][asked])


def total(output: Output, batch: Batch) -> Tensor:
    return torch.stack(list(losses(output, batch).values())).sum()


def labels(batch: Batch) -> Tensor:
    """The answers as transformers wants them: -100 where nothing is asked: (B, T)."""
    assert batch.asked is not None and batch.answers is not None
    flat = torch.full((batch.shown.numel(),), -100)
    flat[batch.asked] = batch.answers
    return flat.view_as(batch.shown)


@torch.inference_mode()
def step_by_step(model: OneStack, rows: Tensor, first: int) -> Tensor:
    """Logits at every position from ``first - 1`` on, read with a cache: ``first`` tokens, then one at a time."""
    cache, logits = Cache(), []
    for begin, end in zip([0, *range(first, rows.shape[1])], range(first, rows.shape[1] + 1), strict=True):
        shown = rows[:, begin:end]
        last = torch.arange(len(rows)) * shown.shape[1] + shown.shape[1] - 1
        logits.append(model(Batch(shown=shown, visible="causal", asked=last), cache).tokens)
    return torch.stack(logits, 1)  # (B, T - first + 1, V)
