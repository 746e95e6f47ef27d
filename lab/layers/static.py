"""Static vectors: one for each token whatever stands around it, learnt from the few tokens that do.

B batch   T tokens   N asked positions   P pairs   K samples of noise   W width   V vocabulary
"""

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.vocabulary import Vocabulary


@runtime_checkable
class Meets(Protocol):
    """A part that must know the vocabulary before it learns, and keeps what it knows in buffers."""

    def meet(self, vocabulary: Vocabulary) -> None:
        """Called once, before the first step: how the tokens are spelt, and how often each is seen."""


@runtime_checkable
class Looked(Protocol):
    """A model that says itself what a token's vector is, where that is no row of one table."""

    def vectors(self) -> Tensor:
        """One vector for each token: (V, W)."""


class Noise(nn.Module):
    """Tokens at random, by count to the power 0.75; evenly before any is met (Mikolov et al. 2013b, section 2.2)."""

    weights: Tensor

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.register_buffer("weights", torch.ones(vocabulary))

    def meet(self, vocabulary: Vocabulary) -> None:
        if vocabulary.counts is not None:
            # To the power 0.75 rare tokens are drawn oftener than they occur, and "the" not all the time.
            self.weights.copy_(torch.from_numpy(vocabulary.counts**0.75))

    def draw(self, rows: int, samples: int) -> Tensor:
        """(P, K) ids."""
        drawn = torch.multinomial(self.weights, max(rows * samples, 1), replacement=True)  # which cannot draw none
        return drawn[: rows * samples].view(rows, samples)

    def logs(self) -> Tensor:
        """The logarithm of each token's share; of one never seen, that of half a sight: (V,)."""
        return (self.weights.clamp_min(0.5) / self.weights.sum()).log()


def around(x: Tensor, table: Tensor) -> Tensor:
    """The mean of the vectors ``x`` (B, T, W) that stand around each token: (B, T, W)."""
    return table.to(x.dtype) @ x / table.sum(-1, keepdim=True).clamp_min(1)


def against_noise(inner: Tensor, right: Tensor, noise: Tensor, table: Tensor) -> Tensor:
    """The negative-sampling loss, a mean over pairs: ``inner`` (P, W) must score the ``right`` (P,) token up and the
    ``noise`` (P, K) down; noise that hits the right token is left out, as in the authors' code. ``table`` (V, W)."""
    # Two-way questions instead of one out of V: K + 1 products for each pair, however large the vocabulary.
    hit = (inner * functional.embedding(right, table)).sum(-1)  # (P,)
    miss = (functional.embedding(noise, table) * inner[:, None]).sum(-1)  # (P, K)
    other = noise != right[:, None]
    each = functional.logsigmoid(hit) + (functional.logsigmoid(-miss) * other).sum(-1)  # (P,)
    return -each.sum() / max(len(each), 1)
