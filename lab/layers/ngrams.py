"""N-gram counts and Kneser-Ney smoothing: a tree of all short sequences that were seen.

B rows   T tokens   N asked positions   V vocabulary   G sequences counted   K sequences of one length in a batch
"""

from abc import abstractmethod

import torch
from torch import Tensor, nn

from lab.batch import Batch
from lab.layers.kv_cache import RecurrentState


class Counting(nn.Module):
    """A model that learns from what it counts. What it counts lies in buffers; those named ``growing`` grow."""

    growing: tuple[str, ...] = ()

    @abstractmethod
    def count(self, batch: Batch) -> None:
        """Count what the batch shows."""


class Grams(Counting):
    """Every sequence of up to ``order`` tokens that was seen is a node; its parent is the sequence without its last
    token, node 0 the empty one.

    ``keys`` are parent * V + last token, ascending, and ``nodes`` their numbers. By number, ``times`` says how often
    a sequence was seen, ``kinds`` how many different tokens stood before it, ``lengths`` how long it is.
    """

    growing = ("keys", "nodes", "times", "kinds", "lengths")
    keys: Tensor
    nodes: Tensor
    times: Tensor
    kinds: Tensor
    lengths: Tensor

    def __init__(self, vocabulary: int, order: int) -> None:
        super().__init__()
        self.vocabulary, self.order = vocabulary, order
        for name in ("keys", "nodes"):
            self.register_buffer(name, torch.zeros(0, dtype=torch.int64))
        for name in ("times", "kinds", "lengths"):
            self.register_buffer(name, torch.zeros(1, dtype=torch.int64))

    @torch.no_grad()
    def count(self, batch: Batch) -> None:
        """Count all sequences in each row: what stands across the edge of a row is not counted."""
        assert batch.real is None, "a text that is counted has no padding"
        # Length by length: a sequence is its parent (all but its last token) and one more token, a single number that
        # can be sorted. So counting is sorting, and no sequence is ever written out.
        before = torch.zeros_like(batch.shown)  # (B, T) the nodes that end at each token, of the length before
        for length in range(1, self.order + 1):
            tokens = batch.shown[:, length - 1 :]  # (B, K)
            parents = before[:, : tokens.shape[1]]
            wanted, inverse, times = torch.unique(
                parents * self.vocabulary + tokens, return_inverse=True, return_counts=True
            )
            shorter = None if length == 1 else before[:, 1:].reshape(-1)  # the same sequence without its first token
            nodes = self._grown(wanted, inverse.reshape(-1), shorter, length)
            self.times[nodes] += times
            before = nodes[inverse]

    def _grown(self, wanted: Tensor, inverse: Tensor, shorter: Tensor | None, length: int) -> Tensor:
        """The nodes of ``wanted`` keys (ascending); those not yet there are added."""
        # New keys are put between the old ones, so that keys stay in order and are found by bisection.
        place = torch.searchsorted(self.keys, wanted)
        new = self.find(wanted) < 0
        numbers = len(self.times) + torch.arange(int(new.sum()), device=wanted.device)
        at = place[new] + torch.arange(len(numbers), device=wanted.device)
        old = torch.ones(len(self.keys) + len(numbers), dtype=torch.bool, device=wanted.device)
        old[at] = False
        self.keys = torch.empty(len(old), dtype=torch.int64, device=wanted.device).masked_scatter(old, self.keys)
        self.keys[at] = wanted[new]
        self.nodes = torch.empty_like(self.keys).masked_scatter(old, self.nodes)
        self.nodes[at] = numbers
        none = torch.zeros_like(numbers)
        self.times, self.kinds = torch.cat([self.times, none]), torch.cat([self.kinds, none])
        self.lengths = torch.cat([self.lengths, torch.full_like(numbers, length)])
        # Kneser and Ney's count: behind how many different tokens was the shorter one seen? One more for each new
        # longer one.
        if shorter is not None:
            example = torch.empty_like(wanted)
            example[inverse] = torch.arange(len(inverse), device=wanted.device)  # some place where each stands
            self.kinds.index_add_(0, shorter[example[new]], torch.ones_like(numbers))
        return self.find(wanted)

    def find(self, wanted: Tensor) -> Tensor:
        """The nodes of these keys, -1 where there is none; the same shape."""
        if not len(self.keys):
            return torch.full_like(wanted, -1)
        place = torch.searchsorted(self.keys, wanted).clamp_max(len(self.keys) - 1)
        return torch.where(self.keys[place] == wanted, self.nodes[place], -1)

    def endings(self, ids: Tensor) -> list[Tensor]:
        """For each length below ``order``, from 1 on, the nodes that end at each token: (B, T), -1 where none does."""
        by_length = []
        before = torch.zeros_like(ids)
        for _ in range(1, self.order):
            nodes = self.find(before * self.vocabulary + ids)
            by_length.append(torch.where(before < 0, -1, nodes))
            before = torch.cat([torch.full_like(ids[:, :1], -1), by_length[-1][:, :-1]], 1)
        return by_length

    def followers(self, parents: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What followed each of the ``parents`` (N,): which parent, its place in N; the token; and the node."""
        # All children of a node are neighbours in the order of keys, since a key begins with its parent.
        first, last = (torch.searchsorted(self.keys, (parents + more) * self.vocabulary) for more in (0, 1))
        counts = torch.where(parents < 0, 0, last - first)
        row = torch.repeat_interleave(torch.arange(len(parents), device=parents.device), counts)
        inside = torch.arange(len(row), device=parents.device) - (counts.cumsum(0) - counts)[row]
        place = first[row] + inside
        return row, self.keys[place] % self.vocabulary, self.nodes[place]


class KneserNey(nn.Module):
    """Interpolated Kneser-Ney (Chen and Goodman 1998, section 2.7): the longest sequences count how often they were
    seen, shorter ones behind how many different tokens; each count gives up a discount, which goes to one token less
    of history, and in the end to all tokens evenly."""

    def forward(self, grams: Grams, endings: list[Tensor]) -> Tensor:
        """``endings`` (N,) for each length of history, the shortest first. Returns log-probabilities (N, V)."""
        size, device = grams.vocabulary, grams.times.device
        none = torch.zeros(1, dtype=torch.int64, device=device)  # the history that all positions share
        # From the shortest history, which is none, to the longest: each length takes a little from what it saw and
        # leaves it to the length below, so that nothing is impossible.
        mixed = torch.full((1, size), 1 / size, dtype=torch.float64, device=device)
        for length, parents in enumerate([none, *endings], 1):
            row, token, node = grams.followers(parents)
            # "Francisco" is frequent, but nearly always behind "San": short histories therefore ask behind how many
            # different tokens, not how often.
            seen = (grams.times if length == grams.order else grams.kinds)[node].double()
            discount = self.discount(grams, length)
            whole = torch.zeros(len(parents), dtype=torch.float64, device=device).index_add_(0, row, seen)  # (N,)
            given = torch.zeros_like(whole).index_add_(0, row, seen.clamp_max(discount))
            mixed = mixed * torch.where(whole > 0, given / whole.clamp_min(1), 1.0)[:, None]  # (N, V)
            mixed.view(-1).index_add_(0, row * size + token, (seen - discount).clamp_min(0) / whole.clamp_min(1)[row])
        return mixed.float().log()  # rounded before, which is quicker and as exact as floats are

    def discount(self, grams: Grams, length: int) -> float:
        """n1 / (n1 + 2 n2) of the sequences of this length; one half where a text is too small to tell."""
        counts = (grams.times if length == grams.order else grams.kinds)[grams.lengths == length]
        once, twice = int((counts == 1).sum()), int((counts == 2).sum())
        return once / (once + 2 * twice) if once and twice else 0.5


def with_history(shown: Tensor, history: int, carried: RecurrentState | None) -> Tensor:
    """What is shown behind the last ``history`` tokens that were shown before: (B, up to history + T)."""
    if carried is None:
        return shown
    whole = shown if carried.state is None else torch.cat([carried.state[0][0], shown], 1)
    carried.keep((whole[None, :, max(0, whole.shape[1] - history) :],), shown.shape[1])
    return whole
