"""The enhanced mask decoder: absolute positions enter only when tokens are predicted (He et al. 2020, section 3.2).

B batch   T tokens   W width   N asked positions   V vocabulary   C classes
"""

from torch import Tensor

from lab.batch import Batch, Output
from lab.layers.blocks import Block
from lab.layers.heads import SequenceHead, TransformHead
from lab.layers.kv_cache import Cache, KeysValues
from lab.layers.masks import AttentionMask, attention_mask
from lab.layers.partial import taken
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack


class EnhancedStack(OneStack):
    """One stack, whose last block goes over a text ``times`` more before tokens are predicted.

    Now it is asked by queries that begin as what it read plus the ``late`` positions; keys and values are what it
    read, each time the same. Its blocks must take queries and normalise sums.
    """

    stack: Stack

    def __init__(
        self, stack: Stack, head: TransformHead, sequence: SequenceHead | None = None, *, late: Learned, times: int = 2
    ) -> None:
        super().__init__(stack, head, sequence)
        self.late = late
        self.times = times

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        start = cache.length if cache else 0
        part = self.part(batch, cache)
        only, own = (None, batch) if part is None else (part.places, part.batch)
        # In pretraining only the mask decoder is asked: nobody reads what the last block makes by itself.
        ends = part is None or self.sequence is not None
        read, x = self.stack.read(batch, cache, only=only, ends=ends)  # (B, T, W), and the same or (B, P, W)
        tokens = sequence = each = None
        if own.asked is not None:
            past = cache.past(len(self.stack.blocks) - 1) if cache else None
            asked = self.decoded(read, batch, start, past, only).flatten(0, 1).index_select(0, own.asked)  # (N, W)
            tokens = self.head(asked, self.stack.embed.tokens.weight)  # (N, V)
        if self.sequence is not None and cache is None:
            sequence = self.sequence(x, own.real, causal=own.visible == "causal")  # (B, C)
        if self.each is not None and cache is None:
            each = self.each(x, batch.real)  # (B, T, C)
        return Output(tokens=tokens, sequence=sequence, each=each)

    def decoded(
        self,
        read: Tensor,
        batch: Batch,
        start: int = 0,
        past: KeysValues | None = None,
        only: Tensor | None = None,
    ) -> Tensor:
        """What the mask decoder makes of what the last block ``read`` (B, T, W): (B, T, W), or at the places ``only``
        (B, P)."""
        # Had positions been added at the bottom, every block could have mixed them into what a token means. Here they
        # join once all is understood, for the question which word stood at this place.
        queries, visible = read + self.late(batch.shown, start), attention_mask(batch)
        if only is not None:
            queries, visible = taken(queries, only), visible.seen_from(only)
        for _ in range(self.times):
            queries = self._again(queries, read, visible, past)
        return queries

    def _again(self, queries: Tensor, read: Tensor, visible: AttentionMask, past: KeysValues | None) -> Tensor:
        """What becomes of ``queries`` (B, T, W) that look at what the last block ``read`` (B, T, W)."""
        block = self.stack.blocks[-1]
        assert isinstance(block, Block)
        # The last block again, with other queries: no new parameters but the positions.
        x = block.attention_norm(queries + block.dropout(block.attention(read, visible, past, queries)))
        return block.feed_norm(x + block.dropout(block.feed(x)))  # (B, T, W)
