"""Gradient-disentangled sharing: a second network's token table that learns only in what it adds to the first's.

B batch   T tokens   V vocabulary   W width
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Offset(nn.Module):
    """A token table that is ``base``, through which no gradient flows back, plus rows of its own, zero at the start
    (He et al. 2021, section 3.2)."""

    def __init__(self, base: nn.Embedding) -> None:
        super().__init__()
        self.base = base
        self.own = nn.Parameter(torch.zeros(base.num_embeddings, base.embedding_dim))

    @property
    def weight(self) -> Tensor:
        """The whole table, as it is published: (V, W)."""
        return self.base.weight.detach() + self.own

    def forward(self, ids: Tensor) -> Tensor:
        """``ids`` (B, T)."""
        # Where both networks train one table, they pull it two ways. Through ``detach`` the second reads the first's
        # vectors and cannot move them; what it needs of its own is in its own rows.
        return functional.embedding(ids, self.base.weight.detach()) + functional.embedding(ids, self.own)  # (B, T, W)
