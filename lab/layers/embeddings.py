"""Embeddings: what a token is, which sentence it is in and where it stands, summed for the first block.

B batch   T tokens   V vocabulary   E table width   W width
"""

from torch import Tensor, nn

from lab.layers.offset import Offset
from lab.layers.positions import Learned, TwoFold


class Scaled(nn.Embedding):
    """Vectors multiplied by the root of their width (Vaswani et al. 2017, section 3.4). The table itself is not."""

    def forward(self, ids: Tensor) -> Tensor:
        """``ids`` (B, T)."""
        return super().forward(ids) * self.embedding_dim**0.5  # (B, T, E)


class Embedding(nn.Module):
    """Token, segment and position vectors, those that there are, summed in this order; then norm and dropout; then,
    where the tables are narrower than the model, a projection to its width. Of a text that has more segments than the
    table, those that it lacks count as its last."""

    def __init__(
        self,
        tokens: nn.Embedding | Offset,
        positions: Learned | TwoFold | None = None,
        *,
        segments: nn.Embedding | None = None,
        norm: nn.Module | None = None,
        project: nn.Linear | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.tokens = tokens  # (V, E)
        self.segments = segments
        self.positions = positions
        self.norm = norm or nn.Identity()
        self.dropout = nn.Dropout(dropout)
        self.project = project or nn.Identity()

    def forward(
        self, ids: Tensor, segments: Tensor | None = None, start: int = 0, places: Tensor | None = None
    ) -> Tensor:
        """``ids`` (B, T) whose first stands at position ``start``, unless ``places`` (B, T, P) say otherwise. Without
        ``segments`` all is the first segment."""
        # The three are added, not joined: in so wide a space a sum can be told apart again, and the blocks stay as
        # narrow.
        x = self.tokens(ids)  # (B, T, E)
        if self.segments is not None:
            last = self.segments.num_embeddings - 1
            x = x + (self.segments.weight[0] if segments is None else self.segments(segments.clamp(max=last)))
        if self.positions is not None:
            x = x + self.positions(ids, start, places)
        # Narrow tables are projected last, behind norm and dropout, as ALBERT and ELECTRA have it.
        return self.project(self.dropout(self.norm(x)))  # (B, T, W)
