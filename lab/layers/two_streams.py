"""Two-stream self-attention: the tokens as they are, and what is asked, which knows positions only.

The content stream reads the tokens. The query stream begins at the asked places from one learned vector, looks at the
content stream in the same blocks, never at its own token, and answers (Yang et al. 2019, section 2.3). It runs only
where something is asked, gathered by row and padded to the row that asks most (section 2.2, partial prediction).

B batch   T tokens   M tokens remembered   S = M + T   N asked positions   P most asked in a row   W width
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch, Output
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.heads import OwnHead, SequenceHead, TiedHead
from lab.layers.kv_cache import Cache, KeysValues
from lab.layers.masks import attention_mask, behind_memory, query_mask
from lab.layers.partial import by_row
from lab.layers.positions import sinusoids
from lab.layers.relative import Look, Read, RelativeAttention
from lab.layers.stacks import OneStack, Stack
from lab.layers.watch import Watch


class StreamEmbedding(Embedding):
    """What a token is, and one vector for whatever token is asked."""

    def __init__(self, tokens: nn.Embedding, query: nn.Embedding, *, dropout: float = 0.0) -> None:
        super().__init__(tokens, dropout=dropout)
        self.query = query  # (1, W)

    def asked(self, places: Tensor) -> Tensor:
        """The beginning of the query stream at ``places`` (B, P)."""
        return self.dropout(self.query.weight.expand(*places.shape, -1))  # (B, P, W)


class TwoStreams(Stack):
    """A stack of blocks with relative attention that remembers what stands before the row.

    Its ``watch`` sees the content stream, its ``query_watch`` the query stream (B, P, W), as often.
    """

    embed: StreamEmbedding

    def __init__(self, embed: StreamEmbedding, blocks: Sequence[Block]) -> None:
        super().__init__(embed, blocks)
        self.query_watch = Watch()

    def forward(self, batch: Batch, cache: Cache | None = None) -> Tensor:
        return self.both(batch, cache, whole=True)[0]

    def both(
        self,
        batch: Batch,
        cache: Cache | None = None,
        memory: Sequence[Tensor] | None = None,
        *,
        whole: bool,
    ) -> tuple[Tensor, Tensor | None]:
        """The content stream (B, T, W) and, where the batch has an order, the answers of the query stream (N, W).

        ``memory`` holds what each block reads of the M tokens before the row, (B, M, W) each; if left out, it is made
        of the batch's ``before``. Without ``whole``, the content stream stops where no answer depends on it any more.
        """
        # Segment recurrence: what stood before the row is read once, without gradient, and looked at in every block.
        if memory is None and batch.before is not None:
            memory = self.remember(batch.before, batch.backwards)
        x = self.embed(batch.shown)  # (B, T, W)
        remembered = (memory[0].shape[1] if memory else 0) + (cache.length if cache else 0)
        look = content_look(batch, remembered)
        assert cache is None or look.causal, "a cache is for rows without padding that are read left to right"
        g, query, row, slot = None, look, None, None
        if batch.order is not None and batch.asked is not None:
            places, row, slot = by_row(batch.asked, len(x), x.shape[1], batch.most)
            g, query = self.embed.asked(places), query_look(look, places, x.shape[1], remembered)
        waves = self._waves(remembered + x.shape[1], x, batch.backwards)
        for run, block in enumerate(self.blocks):
            seen = self.watch(x)
            # Keys and values are made once for both streams; only the queries differ.
            joined = torch.cat([memory[run], seen], 1) if memory else seen  # (B, S, W)
            read = _read(block, joined, waves, cache.past(run) if cache else None)
            # In the last block nobody reads the content stream any more: where only answers are wanted it stops one
            # block early.
            if whole or g is None or run + 1 < len(self.blocks):
                x = block(seen, replace(look, read=read))
            if g is not None:
                g = block(self.query_watch(g), replace(query, read=read))
        x = self.embed.dropout(self.watch(x))
        return x, None if g is None else self.embed.dropout(self.query_watch(g))[row, slot]

    @torch.no_grad()
    def remember(self, before: Tensor, backwards: Tensor | None = None) -> list[Tensor]:
        """What each block reads of the tokens ``before`` (B, M) the row: (B, M, W) each, without gradient."""
        x, read = self.embed(before), []
        waves = self._waves(before.shape[1], x, backwards)
        for block in self.blocks:
            read.append(x)
            if len(read) < len(self.blocks):
                x = block(x, Look(read=_read(block, x, waves)))
        return read

    def _waves(self, s: int, x: Tensor, backwards: Tensor | None) -> Tensor:
        """The vectors of the distances S ... 1 - T, (S + T, W); for each row, (B, S + T, W), where some may be read
        ``backwards`` (B,)."""
        distances = torch.arange(s, -x.shape[1], -1, device=x.device)  # (S + T,)
        if backwards is not None:  # what is read first stands behind: the sign still says on which side
            distances = torch.where(backwards[:, None], -distances, distances)  # (B, S + T)
        return self.embed.dropout(sinusoids(distances, x.shape[2]).to(x.dtype))


class TwoStreamModel(OneStack):
    """Two streams with a head for tokens and perhaps one for whole sequences, which reads the content stream.

    Without an order, the content stream answers about tokens, too.
    """

    stack: TwoStreams

    def __init__(self, stack: TwoStreams, head: TiedHead | OwnHead, sequence: SequenceHead | None = None) -> None:
        super().__init__(stack, head, sequence)

    def forward(self, batch: Batch, cache: Cache | None = None, memory: Sequence[Tensor] | None = None) -> Output:
        whole = self.sequence is not None or self.each is not None or self.stack.watch.watched
        x, answers = self.stack.both(batch, cache, memory, whole=whole)  # (B, T, W), (N, W)
        tokens = sequence = each = None
        if batch.asked is not None:
            answers = x.flatten(0, 1).index_select(0, batch.asked) if answers is None else answers  # (N, W)
            tokens = self.head(answers, self.stack.embed.tokens.weight)  # (N, V)
        if self.sequence is not None and cache is None:
            sequence = self.sequence(x, batch.real)  # (B, C)
        if self.each is not None and cache is None:
            each = self.each(x, batch.real)  # (B, T, C)
        return Output(tokens=tokens, sequence=sequence, each=each)


def _read(block: nn.Module, x: Tensor, waves: Tensor, past: KeysValues | None = None) -> Read:
    return cast(RelativeAttention, block.attention).read(x, waves, past)


def content_look(batch: Batch, remembered: int) -> Look:
    """What the content stream may look at: what the batch says, and all that is remembered, which counts as of the
    first segment."""
    mask = behind_memory(attention_mask(batch), remembered)
    apart = None
    if batch.segments is not None:
        seen = functional.pad(batch.segments, (remembered, 0))  # (B, S)
        apart = (batch.segments[:, :, None] != seen[:, None])[:, None]  # (B, 1, T, S)
    return Look(causal=mask.causal, table=mask.table, apart=apart)


def query_look(content: Look, places: Tensor, t: int, remembered: int) -> Look:
    """What the query stream at ``places`` (B, P) may look at: what its token may, but for the token itself."""
    table = query_mask(content, places, t, remembered)
    rows = places[:, None, :, None].expand_as(table)  # (B, 1, P, S)
    apart = None if content.apart is None else content.apart.gather(2, rows)
    blind = ~table.any(-1)  # (B, 1, P): who may see nobody looks, for form's sake, at all, and gathers nothing
    columns = torch.arange(t, table.shape[3] + t, device=places.device) - rows  # (B, 1, P, S)
    return Look(table=table | blind[..., None], columns=columns, apart=apart, blind=blind.mT)
