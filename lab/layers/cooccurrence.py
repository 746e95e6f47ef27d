"""Co-occurrence counts, and how well vectors account for them (Pennington et al. 2014, section 3).

B batch   T tokens   N asked positions   P pairs   V vocabulary   W width
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch
from lab.vocabulary import Vocabulary


class Table(nn.Module):
    """How often any two tokens meet in the text that is learnt from. It is counted anew for each run and not saved."""

    def __init__(self) -> None:
        super().__init__()
        self.keys, self.values = torch.zeros(0, dtype=torch.int64), torch.zeros(0)
        self.vocabulary = 1

    def meet(self, vocabulary: Vocabulary) -> None:
        if vocabulary.cooccurrences is not None:
            self.keys = torch.from_numpy(vocabulary.cooccurrences.keys)
            self.values = torch.from_numpy(vocabulary.cooccurrences.times).float()
            self.vocabulary = vocabulary.size

    def times(self, one: Tensor, two: Tensor) -> Tensor:
        """How often each pair (P,) meets, 0 where it never does: (P,)."""
        if not len(self.keys):
            return torch.zeros(one.shape, device=one.device)
        self.keys, self.values = self.keys.to(one.device), self.values.to(one.device)
        # The table is sparse: of V * V pairs few ever meet. Their keys are in order and found by bisection.
        wanted = one * self.vocabulary + two
        place = torch.searchsorted(self.keys, wanted).clamp_max(len(self.keys) - 1)
        return torch.where(self.keys[place] == wanted, self.values[place], 0.0)

    @property
    def mean(self) -> Tensor:
        """How often a pair meets that ever does."""
        return self.values.mean()


class PairHead(nn.Module):
    """A second vector for each token, by which another token's vector is scored, and a bias for either side."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary, width))
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.other = nn.Parameter(torch.zeros(vocabulary))  # of the token whose vector is scored

    def forward(self, x: Tensor) -> Tensor:
        """How often each token meets one of vector ``x`` (N, W), as a logarithm, up to what is the same for all."""
        return functional.linear(x, self.weight, self.bias)  # (N, V)

    def pairs(self, x: Tensor, other: Tensor, token: Tensor) -> Tensor:
        """The logarithm of the times that each ``token`` (P,) meets the ``other`` (P,), whose vectors are ``x``."""
        return (x * self.weight[token]).sum(-1) + self.bias[token] + self.other[other]  # (P,)


def pairs(batch: Batch, table: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The pairs in which an asked token sees another by ``table`` (B, T, T): the number of the asked one, the other's
    row and place, and how far apart they are; four (P,)."""
    assert batch.asked is not None
    # Every pair of an asked token and one that it sees, flat: no loop over windows of different sizes.
    number, place = table.flatten(0, 1)[batch.asked].nonzero(as_tuple=True)
    row, middle = batch.asked[number] // batch.shown.shape[1], batch.asked[number] % batch.shown.shape[1]
    return number, row, place, (middle - place).abs()


def weighted_squares(scores: Tensor, times: Tensor, apart: Tensor, *, most: float, power: float) -> Tensor:
    """The squared error of ``scores`` (P,) against log ``times``, weighted by (times / most) ** power up to 1.

    The paper draws from the pairs of the table. Here they are met in the text, each as often as ``times`` says if one
    at a distance ``apart`` counts 1 / apart: so each meeting bears that share of its pair's error, and a whole text
    adds up to the paper's sum.
    """
    # A pair of frequent tokens would outweigh all others, a pair seen once is mostly chance: the weight rises with the
    # times and stops at 1.
    met = times.clamp_min(torch.finfo(times.dtype).tiny)
    weight = (times / most).clamp_max(1) ** power / met / apart  # 0 where a pair was never counted
    return (weight * (scores - met.log()).square()).sum()
