"""The LSTM: a state carried from token to token holds what has been read (Hochreiter and Schmidhuber 1997).

B batch   T tokens   W width   D directions
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lab.batch import Batch
from lab.layers.embeddings import Embedding
from lab.layers.kv_cache import Cache, RecurrentState
from lab.layers.watch import Watch


class Recurrent(nn.Module):
    """One layer of LSTM. Where it reads ``both`` ways, each direction has half of the width and a state of its own."""

    def __init__(self, width: int, *, both: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.cell = nn.LSTM(width, width // 2 if both else width, batch_first=True, bidirectional=both)

    def forward(self, x: Tensor, real: Tensor | None = None, carried: RecurrentState | None = None) -> Tensor:
        """``x`` (B, T, W), ``real`` (B, T). A state is carried on only from left to right."""
        x = self.dropout(x)
        # Read from the right, a row's padding would come first and fill the state: rows are packed without it.
        if self.cell.bidirectional and real is not None:
            return self._unpadded(x, real)
        out, state = self.cell(x, carried.state if carried else None)  # state: two of (1, B, W)
        if carried is not None:
            carried.keep(state, x.shape[1])
        return out  # (B, T, W)

    def _unpadded(self, x: Tensor, real: Tensor) -> Tensor:
        """From the right, a row begins with its last real token; what stands at padding is zero."""
        rows = pack_padded_sequence(x, real.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.cell(rows)[0], batch_first=True, total_length=x.shape[1])[0]


class Recurrence(nn.Module):
    """Embedding, then the recurrent layers; dropout before each and behind the last.

    Its ``watch`` sees the hidden states (B, T, W): the embedding's output and that of each layer.
    """

    def __init__(self, embed: Embedding, blocks: Sequence[Recurrent], *, dropout: float = 0.0) -> None:
        super().__init__()
        self.embed = embed
        self.blocks = nn.ModuleList(blocks)
        self.dropout = nn.Dropout(dropout)
        self.both = blocks[0].cell.bidirectional
        self.watch = Watch()

    def forward(self, batch: Batch, cache: Cache | None = None) -> Tensor:
        assert batch.visible == ("all" if self.both else "causal"), "the order of reading is in the cells"
        x = self.embed(batch.shown)  # (B, T, W)
        for number, block in enumerate(self.blocks):
            x = block(self.watch(x), batch.real, cache.carried(number) if cache else None)
        return self.watch(self.dropout(x))


class BothEnds(nn.Module):
    """Sums a sequence up by the states with which its two readers end: the one from the left at its last token, the
    one from the right at its first."""

    def forward(self, x: Tensor, real: Tensor | None) -> Tensor:
        """``x`` (B, T, W): each half of the width is one direction; ``real`` (B, T)."""
        rightward, leftward = x.chunk(2, -1)
        last = torch.full((len(x),), x.shape[1], device=x.device) if real is None else real.sum(1)  # (B,)
        return torch.cat([rightward[torch.arange(len(x), device=x.device), last - 1], leftward[:, 0]], -1)  # (B, W)


class Largest(nn.Module):
    """Sums a sequence up by the largest value of each number over its tokens."""

    def forward(self, x: Tensor, real: Tensor | None) -> Tensor:
        """``x`` (B, T, W), ``real`` (B, T)."""
        return (x if real is None else x.masked_fill(~real[:, :, None], -torch.inf)).amax(1)  # (B, W)
