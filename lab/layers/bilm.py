"""The biLM: a text is read once from the left and once from the right, and answered from both sides.

B batch   T tokens   S width of one direction's state   W width, both directions beside each other
N asked positions   V vocabulary   C classes   L layers
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from lab.batch import Batch, Output
from lab.layers.char_cnn import Spelt
from lab.layers.heads import SequenceHead
from lab.layers.kv_cache import Cache
from lab.layers.projected_lstm import TwoWays
from lab.layers.recurrent import Largest
from lab.layers.watch import Watch


class TwoReadings(nn.Module):
    """Vectors of tokens, the same for both directions, then the layers; dropout behind the last.

    Its ``watch`` sees the hidden states (B, T, W): the tokens' vectors, twice, and those of each layer.
    """

    def __init__(self, words: Spelt, blocks: Sequence[TwoWays], *, dropout: float = 0.0) -> None:
        super().__init__()
        self.words = words
        self.blocks = nn.ModuleList(blocks)
        self.dropout = nn.Dropout(dropout)
        self.watch = Watch()

    def forward(self, batch: Batch) -> Tensor:
        """All hidden states: (L + 1, B, T, W)."""
        # Both directions begin from the same vectors and never meet again: or, two layers up, each token would have
        # seen itself in what the other has read.
        words = self.words(batch.shown)  # (B, T, S)
        states = [self.watch(torch.cat([words, words], -1))]
        for block in self.blocks:
            states.append(self.watch(block(states[-1], batch.real)))
        return torch.stack([*states[:-1], self.dropout(states[-1])])


class TwoWayPredictor(nn.Module):
    """Answers twice which token stands at a place: by what has been read up to it from the left, and from the right.

    Both answers have one head, and the loss is the mean of theirs, so that perplexity is that of one side (Peters et
    al. 2018, section 3.4). Asked about a gap, it gives the mean of both, which knows more than either.
    """

    def __init__(self, stack: TwoReadings, head: nn.Linear, sequence: SequenceHead | None = None) -> None:
        super().__init__()
        self.stack = stack
        self.head = head
        self.sequence = sequence
        self.each: nn.Module | None = None  # a head for each token, which fine-tuning may set

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        assert cache is None, "what is read from the right cannot be written on"
        states = self.stack(batch)  # (L + 1, B, T, W)
        sequence = self.sequence(states, batch.real) if self.sequence else None  # (B, C)
        each = self.each(states, batch.real) if self.each else None  # (B, T, C)
        if batch.asked is None:
            return Output(sequence=sequence, each=each)
        # What has read up to a token must not have read the token itself: states move by one place, each in its
        # direction.
        forth, back = shifted(states[-1]).flatten(0, 1)[batch.asked].chunk(2, -1)  # (N, S) each
        # One head for both. Their log-probabilities are averaged, which is to halve the two losses. The mean is no
        # distribution until it is normalised, and then sees both sides of a token: its loss is another, and smaller.
        sides = [self.head(side).log_softmax(-1) for side in (forth, back)]  # (N, V) each
        parts = {}
        if batch.answers is not None:
            parts["tokens"] = -torch.stack(sides).mean(0).gather(1, batch.answers[:, None]).mean()
        return Output(tokens=torch.stack(sides).mean(0), sequence=sequence, parts=parts)

    def vectors(self) -> Tensor:
        """Each token's vector before anything is read: (V, S)."""
        letters = self.stack.words.spelling.letters
        return self.stack.words.vectors(torch.arange(len(letters), device=letters.device))


class Mix(nn.Module):
    """A mix of all layers, whose shares are learnt (Peters et al. 2018, section 3.2)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.shares = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        """``x`` (L + 1, B, T, W)."""
        return self.scale * torch.tensordot(self.shares.softmax(0), x, 1)  # (B, T, W)


class Mixed(Mix):
    """Sums a sequence up by a mix of all layers, whose shares are learnt, and the largest value over its tokens."""

    def __init__(self, layers: int) -> None:
        super().__init__(layers)
        self.largest = Largest()

    def forward(self, x: Tensor, real: Tensor | None = None) -> Tensor:
        """``x`` (L + 1, B, T, W), ``real`` (B, T)."""
        return self.largest(super().forward(x), real)  # (B, W)


def shifted(x: Tensor) -> Tensor:
    """What has been read when a token is reached, itself not: (B, T, W). At either end nothing has."""
    forth, back = x.chunk(2, -1)
    nothing = forth.new_zeros(len(x), 1, forth.shape[2])
    return torch.cat([torch.cat([nothing, forth[:, :-1]], 1), torch.cat([back[:, 1:], nothing], 1)], -1)
