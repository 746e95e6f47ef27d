"""The uniform, unigram and bigram baselines: what a model must beat.

V vocabulary   N asked positions
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COUNTED = 2**24  # ids: whoever counts more has hardly better baselines, and holds far more memory

Ids = NDArray[np.int64]
Nats = NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """How often each token, and each token after each other, was seen in training."""

    tokens: NDArray[np.int64]  # (V,)
    pairs: NDArray[np.int64]  # (P,) previous * V + next, ascending
    times: NDArray[np.int64]  # (P,)
    follows: NDArray[np.int64]  # (V,) how many tokens come after each
    kinds: NDArray[np.int64]  # (V,) how many different ones

    @classmethod
    def of(cls, ids: Ids, size: int) -> "Counts":
        """Count a stream of ids (M,) over a vocabulary of ``size``; of a long one, as much as tells enough."""
        ids = ids[:COUNTED].astype(np.int64)
        return cls.of_pairs(ids[:-1], ids[1:], size, ids)

    @classmethod
    def of_pairs(cls, first: Ids, second: Ids, size: int, tokens: Ids | None = None) -> "Counts":
        """Count each token of ``second`` (N,) behind that of ``first``; ``tokens`` are counted alone, ``second`` if
        left out."""
        pairs, times = np.unique(first * size + second, return_counts=True)
        before = pairs // size
        return cls(
            tokens=np.bincount(second if tokens is None else tokens, minlength=size),
            pairs=pairs,
            times=times,
            follows=np.bincount(before, weights=times, minlength=size).astype(np.int64),
            kinds=np.bincount(before, minlength=size),
        )

    def uniform(self, answers: Ids) -> Nats:
        """-log p of each answer when every token is as likely: (N,)."""
        return np.full(len(answers), np.log(len(self.tokens)))

    def unigram(self, answers: Ids) -> Nats:
        """-log p of each answer by how common it is, one added to every count: (N,)."""
        return -np.log(self._common()[answers])

    def bigram(self, before: Ids, answers: Ids) -> Nats:
        """-log p of each answer after the token before it, interpolated with the unigram: (N,).

        Witten and Bell 1991: a history that was followed by many different tokens trusts its counts less.
        """
        wanted = before.astype(np.int64) * len(self.tokens) + answers
        place = np.minimum(np.searchsorted(self.pairs, wanted), max(len(self.pairs) - 1, 0))
        seen = np.where(self.pairs[place] == wanted, self.times[place], 0) if len(self.pairs) else np.zeros(len(wanted))
        kinds = np.maximum(self.kinds[before], 1)  # a history never seen gives its whole mass to the unigram
        return -np.log((seen + kinds * self._common()[answers]) / (self.follows[before] + kinds))

    def _common(self) -> Nats:
        return (self.tokens + 1) / (self.tokens.sum() + len(self.tokens))


class BaselineMeans:
    """The baselines' nats per answer over several batches, each of which may be held against counts of its own."""

    def __init__(self) -> None:
        self._nats, self._count = np.zeros(3), 0

    def add(self, counts: Counts, truths: list[tuple[Ids, Ids]]) -> None:
        if not truths:
            return
        before, answers = (np.concatenate(parts) for parts in zip(*truths, strict=True))
        nats = counts.uniform(answers), counts.unigram(answers), counts.bigram(before, answers)
        self._nats += [losses.sum() for losses in nats]
        self._count += len(answers)

    def found(self) -> dict[str, float]:
        means = (self._nats / max(self._count, 1)).tolist()
        return {name: round(mean, 6) for name, mean in zip(("uniform", "unigram", "bigram"), means, strict=True)}
