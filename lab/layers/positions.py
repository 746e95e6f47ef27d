"""Where a token stands: one learned vector for each position.

T tokens   W width
"""

from torch import Tensor, nn

from lab.settings import SettingsError


class Learned(nn.Module):
    """A table with a row for each position of the context."""

    def __init__(self, context: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(context, width)

    def forward(self, count: int, start: int = 0) -> Tensor:
        """The vectors of ``count`` positions from ``start`` on: (T, W)."""
        context = self.table.num_embeddings
        if start + count > context:
            raise SettingsError(
                f"{start + count} tokens are more than the context of {context}",
                f"{start + count} 个词元超出了上下文长度 {context}",
            )
        return self.table.weight[start : start + count]
