"""Encoders, decoders and both together: in what order the parts of a model run.

B batch   T tokens   W width   N asked positions   V vocabulary   C classes
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from lab.batch import Batch, Output, source_of
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.embeddings import Embedding
from lab.layers.heads import BiasedHead, OwnHead, SequenceHead, TiedHead, TransformHead
from lab.layers.kv_cache import Cache
from lab.layers.masks import AttentionMask, attention_mask, source_mask
from lab.layers.partial import Part, part_of
from lab.layers.positions import Buckets
from lab.layers.recurrent import Recurrence
from lab.layers.watch import Watch, anybody_looks


class Stack(nn.Module):
    """Embedding, then the blocks, the whole row of them ``times`` over; then a last norm where there is one.

    ``distances`` is worked out once and added to the scores of every block; ``dropout`` follows the last norm.

    Its ``watch`` sees the hidden states (B, T, W): the embedding's output and that of each block that runs, the last
    of them after the last norm.
    """

    def __init__(
        self,
        embed: Embedding,
        blocks: Sequence[Block] | Sequence[DecoderBlock],
        *,
        times: int = 1,
        distances: Buckets | None = None,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embed = embed
        self.distances = distances
        self.blocks = nn.ModuleList(blocks)
        self.times = times
        self.norm = norm or nn.Identity()
        self.dropout = nn.Dropout(dropout)
        self.watch = Watch()

    def forward(self, batch: Batch, cache: Cache | None = None) -> Tensor:
        return self.read(batch, cache)[1]

    @property
    def takes_places(self) -> bool:
        """Whether the last block can work out some tokens alone."""
        last = self.blocks[-1]
        return type(last) is Block and last.attention.takes_places and self.distances is None

    def read(
        self,
        batch: Batch,
        cache: Cache | None = None,
        *source: Tensor | AttentionMask | None,
        only: Tensor | None = None,
        ends: bool = True,
    ) -> tuple[Tensor, Tensor]:
        """What the last block reads, and what comes out in the end: (B, T, W) each, or the latter at the places
        ``only`` (B, P). Where it is not to go on to the end, the last block is left out. ``source`` is for the blocks
        of a decoder: what was read (B, S, W), and who may look at it."""
        # With a cache only the new tokens are shown; their positions go on behind those that were read before.
        start = cache.length if cache else 0
        before = x = self.embed(batch.shown, batch.segments, start, batch.positions)  # (B, T, W)
        visible = attention_mask(batch)
        told = isinstance(batch.visible, Tensor) and not start  # a text that is to be written on
        onward = batch.real is None and (visible.causal or told)
        assert cache is None or onward, "a cache is for rows without padding, written left to right"
        if self.distances is not None:
            visible = replace(visible, bias=self.distances(x.shape[1], start))
        # The blocks may be one and the same, run several times: ALBERT's cross-layer parameter sharing.
        runs = [*self.blocks] * self.times
        for run, block in enumerate(runs):
            before = self.watch(x)
            if run + 1 == len(runs):
                if not ends:
                    return before, before
                visible = visible if only is None else visible.seen_from(only)
            x = block(before, visible, cache.past(run) if cache else None, *source)
        return before, self.watch(self.dropout(self.norm(x)))


class OneStack(nn.Module):
    """A stack with a head for tokens and perhaps one for whole sequences.

    Token logits are computed at the asked positions only, and in training, while nobody looks at how, so is all that
    the last block makes. A cached step answers about tokens only: it does not hold the whole sequence.
    """

    def __init__(
        self,
        stack: Stack | Recurrence,
        head: TiedHead | OwnHead | TransformHead,
        sequence: SequenceHead | None = None,
    ) -> None:
        super().__init__()
        self.stack = stack
        self.head = head
        self.sequence = sequence
        self.each: nn.Module | None = None  # a head for each token, which fine-tuning may set

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        part = self.part(batch, cache)
        if part is not None and isinstance(self.stack, Stack):
            return self.answer(self.stack.read(batch, only=part.places)[1], part.batch)
        return self.answer(self.stack(batch, cache), batch, cache)

    def part(self, batch: Batch, cache: Cache | None = None) -> Part | None:
        """Which tokens the heads read, where those are few and can be worked out alone."""
        if not self.training or cache is not None or self.each is not None or anybody_looks():
            return None
        if not isinstance(self.stack, Stack) or not self.stack.takes_places:
            return None
        pooled = self.sequence.reads(causal=batch.visible == "causal") if self.sequence else None
        return None if self.sequence and pooled is None else part_of(batch, pooled)

    def answer(self, x: Tensor, batch: Batch, cache: Cache | None = None) -> Output:
        """What the heads make of the stack's output (B, T, W)."""
        tokens = sequence = each = None
        # Of B * T positions some are asked: a seventh in masked language modelling. The map onto the vocabulary is the
        # dearest of all, and is worked out only there.
        if batch.asked is not None:
            asked = x.flatten(0, 1).index_select(0, batch.asked)  # (N, W)
            tokens = self.head(asked, self.stack.embed.tokens.weight)  # (N, V)
        if self.sequence is not None and cache is None:
            sequence = self.sequence(x, batch.real, causal=batch.visible == "causal")  # (B, C)
        if self.each is not None and cache is None:
            each = self.each(x, batch.real)  # (B, T, C)
        return Output(tokens=tokens, sequence=sequence, each=each)


class TwoStacks(nn.Module):
    """An encoder reads the source; a decoder, which looks at what was read, writes from left to right.

    Without a source both read what is shown, the decoder with its last token in front and each other one place later;
    the head for whole sequences looks at the decoder's end. With a cache the source is read but once.
    """

    def __init__(
        self,
        encoder: Stack,
        decoder: Stack,
        head: TiedHead | BiasedHead | OwnHead,
        sequence: SequenceHead | None = None,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.head = head
        self.sequence = sequence
        self.each: nn.Module | None = None  # a head for each token, which fine-tuning may set

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        if batch.source is None:
            # As in BART a text to be judged is read by both, the decoder one place behind.
            batch = replace(batch, source=batch.shown, source_real=batch.real, shown=_wrapped(batch), visible="causal")
        # The source is read once; in later steps its keys and values are in the cache.
        source = self.encoder(source_of(batch)) if cache is None or not cache.length else None  # (B, S, W)
        _, x = self.decoder.read(batch, cache, source, source_mask(batch))  # (B, T, W)
        tokens = sequence = each = None
        if batch.asked is not None:
            asked = x.flatten(0, 1).index_select(0, batch.asked)  # (N, W)
            tokens = self.head(asked, self.decoder.embed.tokens.weight)  # (N, V)
        if self.sequence is not None and cache is None:
            sequence = self.sequence(x, batch.real)  # (B, C)
        if self.each is not None and cache is None:
            each = self.each(x, batch.real)  # (B, T, C)
        return Output(tokens=tokens, sequence=sequence, each=each)


def _wrapped(batch: Batch) -> Tensor:
    """Each row one place to the right, its last token that is no padding in front: (B, T)."""
    t = batch.shown.shape[1]
    last = torch.full_like(batch.shown[:, :1], t - 1) if batch.real is None else batch.real.sum(1, keepdim=True) - 1
    return torch.cat([batch.shown.gather(1, last), batch.shown[:, :-1]], 1)
