"""The span boundary objective: hidden tokens asked again, of both neighbours of their span (Joshi et al. 2019).

A span is a run of neighbours that are asked; those that touch are one. As in the authors' code a span that comes next
to the first or the last token of its row, which is [CLS] or [SEP], is left out, and so is what stands further inside a
span than there are places. Its first layer reads both neighbours and the place end to end; here that is one map for the
neighbours and one for the place, whose sum is the same.

B batch   T tokens   N asked positions   W width   V vocabulary
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch, Output
from lab.layers.feedforward import Activation
from lab.layers.heads import SequenceHead, TransformHead
from lab.layers.kv_cache import Cache
from lab.layers.stacks import OneStack, Stack

PLACES, PLACE = 20, 200  # places in a span, and the width of a place's vector, as published


@dataclass(frozen=True)
class Beside:
    """Where the neighbours of each asked position's span are, as flat positions, its place in the span counted from
    0, and whether it is asked a second time."""

    before: Tensor  # (N,)
    behind: Tensor  # (N,)
    place: Tensor  # (N,)
    asked: Tensor  # (N,) bool


def beside(asked: Tensor, lengths: Tensor, tokens: int) -> Beside:
    """``asked`` (N,) flat positions in rows of ``tokens``, ascending, of which ``lengths`` (B,) are no padding."""
    column = asked % tokens
    opens = (asked.diff(prepend=asked[:1] - 2) > 1) | (column == 0)
    closes = torch.cat([opens[1:], opens.new_ones(1)])
    first = torch.where(opens, asked, 0).cummax(0).values
    last = torch.where(closes, asked, asked[-1:]).flip(0).cummin(0).values.flip(0)
    place = asked - first
    inside = (first % tokens > 1) & (last % tokens < lengths[asked // tokens] - 2)
    kept = inside & (place < PLACES)
    return Beside(torch.where(kept, first - 1, 0), torch.where(kept, last + 1, 0), torch.where(kept, place, 0), kept)


class BoundaryHead(nn.Module):
    """Scores each token of a span against the token table, from the states of the two tokens beside it and its place
    in the span: two dense layers, each with its activation and a norm."""

    def __init__(self, width: int, activation: Activation, norms: tuple[nn.Module, nn.Module], vocabulary: int) -> None:
        super().__init__()
        self.sides = nn.Linear(2 * width, width)
        self.places = nn.Embedding(PLACES, PLACE)
        self.place = nn.Linear(PLACE, width, bias=False)
        self.dense = nn.Linear(width, width)
        self.activation = activation
        self.first_norm, self.second_norm = norms
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x: Tensor, where: Beside, table: Tensor) -> Tensor:
        """``x`` (B, T, W), ``table`` (V, W)."""
        flat = x.flatten(0, 1)  # (B * T, W)
        sides = torch.cat([flat.index_select(0, where.before), flat.index_select(0, where.behind)], 1)  # (N, 2W)
        y = self.first_norm(self.activation(self.sides(sides) + self.place(self.places(where.place))))  # (N, W)
        y = self.second_norm(self.activation(self.dense(y)))
        return functional.linear(y, table, self.bias)  # (N, V)


class BoundaryStack(OneStack):
    """A stack that learns what is hidden twice over: from the states of the hidden tokens, and from those beside them.

    The second loss is added to the first. It is there to learn from; whoever asks the model is answered by the first.
    """

    stack: Stack

    def __init__(
        self, stack: Stack, head: TransformHead, sequence: SequenceHead | None, boundary: BoundaryHead
    ) -> None:
        super().__init__(stack, head, sequence)
        self.boundary = boundary

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        if batch.asked is None or batch.answers is None:
            return super().forward(batch, cache)
        b, t = batch.shown.shape
        lengths = batch.asked.new_full((b,), t) if batch.real is None else batch.real.sum(1)  # (B,)
        where = beside(batch.asked, lengths, t)
        # Two heads read what is asked and what stands beside it.
        read = torch.cat([batch.asked, where.before, where.behind]).unique()
        part = self.part(replace(batch, asked=read, most=None), cache)
        x = self.stack.read(batch, cache, only=part.places if part else None)[1]  # (B, T, W), or (B, P, W)
        own = batch
        if part is not None and part.batch.asked is not None:
            moved = part.batch.asked  # where each that is read stands among them
            asked, before, behind = (
                moved[torch.searchsorted(read, each)] for each in (batch.asked, where.before, where.behind)
            )
            own, where = replace(part.batch, asked=asked), replace(where, before=before, behind=behind)
        output = self.answer(x, own, cache)
        scores = self.boundary(x, where, self.stack.embed.tokens.weight)  # (N, V)
        answers = torch.where(where.asked, batch.answers, -100)
        count = where.asked.sum()
        loss = functional.cross_entropy(scores.float(), answers, reduction="sum") / count.clamp(min=1)
        return replace(output, parts={"boundary": loss}, counts={"boundary": count})
