"""The skeletons: in what order the parts of a model run.

B batch   T tokens   W width   N asked positions   V vocabulary   C classes
"""

from collections.abc import Sequence

from torch import Tensor, nn

from lab.batch import Batch, Output, sight
from lab.layers.blocks import Block
from lab.layers.cache import Cache
from lab.layers.embeddings import Embedding
from lab.layers.heads import OwnHead, SequenceHead, TiedHead, TransformHead
from lab.layers.recurrent import Recurrence
from lab.layers.watch import Watch


class Stack(nn.Module):
    """Embedding, then the blocks, the whole row of them ``times`` over; then a last norm where there is one.

    Its ``watch`` sees the hidden states (B, T, W): the embedding's output and that of each block that runs, the last
    of them after the last norm.
    """

    def __init__(
        self, embed: Embedding, blocks: Sequence[Block], *, times: int = 1, norm: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.embed = embed
        self.blocks = nn.ModuleList(blocks)
        self.times = times
        self.norm = norm or nn.Identity()
        self.watch = Watch()

    def forward(self, batch: Batch, cache: Cache | None = None) -> Tensor:
        return self.read(batch, cache)[1]

    def read(self, batch: Batch, cache: Cache | None = None) -> tuple[Tensor, Tensor]:
        """What the last block reads, and what comes out in the end: (B, T, W) each."""
        before = x = self.embed(batch.shown, batch.segments, cache.length if cache else 0)  # (B, T, W)
        visible = sight(batch)
        assert cache is None or visible.causal, "a cache is for rows without padding that are read left to right"
        for run, block in enumerate([*self.blocks] * self.times):
            before = self.watch(x)
            x = block(before, visible, cache.past(run) if cache else None)
        return before, self.watch(self.norm(x))


class OneStack(nn.Module):
    """A stack with a head for tokens and perhaps one for whole sequences.

    Token logits are computed at the asked positions only. A cached step answers about tokens only: it does not hold
    the whole sequence.
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

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        x = self.stack(batch, cache)  # (B, T, W)
        tokens = sequence = None
        if batch.asked is not None:
            asked = x.flatten(0, 1).index_select(0, batch.asked)  # (N, W)
            tokens = self.head(asked, self.stack.embed.tokens.weight)  # (N, V)
        if self.sequence is not None and cache is None:
            sequence = self.sequence(x, batch.real)  # (B, C)
        return Output(tokens=tokens, sequence=sequence)
