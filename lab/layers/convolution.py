"""A convolution beside a block: each token with its neighbours, those that it may look at (DeBERTa, version 2).

The authors leave padding out of it; to leave out whoever must not be looked at is the same there, and keeps a model
that reads from the left from seeing what comes next.

B batch   T tokens   S tokens looked at   W width   K tokens under the kernel
"""

from torch import Tensor, nn
from torch.nn import functional

from lab.layers.attention import Attending
from lab.layers.blocks import Block
from lab.layers.feedforward import MLP, Activation
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask, around_mask


class Convolution(nn.Module):
    """One linear map of each token together with those around it."""

    def __init__(self, width: int, tokens: int, activation: Activation, *, dropout: float = 0.0) -> None:
        """``tokens`` is an odd number: the token and as many on either side."""
        super().__init__()
        self.tokens = tokens
        self.mix = nn.Linear(tokens * width, width)
        self.activation = activation
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: AttentionMask, past: KeysValues | None = None) -> Tensor:
        """``x`` (B, T, W)."""
        reach = self.tokens // 2
        # Missing neighbours at either end are zeros; behind a cache, the last ones of what was read before.
        before = functional.pad(x, (0, 0, reach, 0)) if past is None else past.behind(x, reach)  # (B, T + reach, W)
        around = functional.pad(before, (0, 0, 0, reach)).unfold(1, self.tokens, 1)  # (B, T, W, K)
        seen = around_mask(mask, x.shape[1], reach, x.device)
        if seen is not None:
            around = around * seen[:, :, None]
        return self.activation(self.dropout(self.mix(around.flatten(2))))  # (B, T, W)


class ConvolvedBlock(Block):
    """A block that normalises sums, with a convolution beside all of it, added to what it makes and normalised."""

    def __init__(
        self,
        attention: Attending,
        attention_norm: nn.Module,
        feed: MLP,
        feed_norm: nn.Module,
        conv: Convolution,
        conv_norm: nn.Module,
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(attention, attention_norm, feed, feed_norm, norm="post", dropout=dropout)
        self.conv = conv
        self.conv_norm = conv_norm

    def forward(self, x: Tensor, mask: AttentionMask, past: KeysValues | None = None) -> Tensor:
        # The convolution sees what the block sees, not what it makes.
        beside = self.conv(x, mask, past)
        return self.conv_norm(super().forward(x, mask, past) + beside)  # (B, T, W)
