"""The Transformer block: attention, then the feed-forward network, each added to what came in.

B batch   T tokens   S tokens of a source   W width
"""

from typing import Literal

from torch import Tensor, nn

from lab.layers.attention import Attending, CrossAttention
from lab.layers.feedforward import MLP, GatedMLP
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask
from lab.layers.partial import taken


class Block(nn.Module):
    """``norm="post"`` (post-norm) normalises each sum (Vaswani et al. 2017), ``norm="pre"`` (pre-norm) what each part
    reads (GPT-2). The latter may also normalise what each part adds, at its end (GLM-4)."""

    residual: float = 1.0  # by how much the first weights of the map that ends a branch are smaller

    def __init__(
        self,
        attention: Attending,
        attention_norm: nn.Module,
        feed: MLP | GatedMLP,
        feed_norm: nn.Module,
        *,
        norm: Literal["pre", "post"],
        attention_end_norm: nn.Module | None = None,
        feed_end_norm: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = attention_norm
        self.attention_end_norm = attention_end_norm or nn.Identity()
        self.feed = feed
        self.feed_norm = feed_norm
        self.feed_end_norm = feed_end_norm or nn.Identity()
        self.pre_norm = norm == "pre"
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: AttentionMask, past: KeysValues | None = None) -> Tensor:
        # Pre-norm: the path of x from end to end is a plain sum, so that gradients reach the first block unchanged and
        # deep stacks learn without a long warm-up. Post-norm, the older order, normalises the sum itself.
        own = x if mask.only is None else taken(x, mask.only)  # (B, T, W), or of those who look
        if self.pre_norm:
            x = own + self.dropout(self.attention_end_norm(self.attention(self.attention_norm(x), mask, past)))
            return x + self.dropout(self.feed_end_norm(self.feed(self.feed_norm(x))))  # (B, T, W)
        x = self.attention_norm(own + self.dropout(self.attention(x, mask, past)))
        return self.feed_norm(x + self.dropout(self.feed(x)))  # (B, T, W)


class DecoderBlock(nn.Module):
    """A block that between its two parts looks at a source: a decoder's (Vaswani et al. 2017, section 3.1)."""

    residual: float = 1.0  # as a Block's

    def __init__(
        self,
        attention: Attending,
        attention_norm: nn.Module,
        cross: CrossAttention,
        cross_norm: nn.Module,
        feed: MLP | GatedMLP,
        feed_norm: nn.Module,
        *,
        norm: Literal["pre", "post"],
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = attention_norm
        self.cross = cross
        self.cross_norm = cross_norm
        self.feed = feed
        self.feed_norm = feed_norm
        self.pre_norm = norm == "pre"
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        mask: AttentionMask,
        past: KeysValues | None,
        source: Tensor | None,
        source_sight: AttentionMask,
    ) -> Tensor:
        """``x`` (B, T, W) looks at ``source`` (B, S, W), which may be left out once ``past`` holds it."""
        # The decoder's own tokens grow, the source does not: two memories for one block.
        behind = past.source if past else None
        if self.pre_norm:
            x = x + self.dropout(self.attention(self.attention_norm(x), mask, past))
            # In between, a look at what the encoder has made of the source: queries from here, keys and values from
            # there.
            x = x + self.dropout(self.cross(self.cross_norm(x), source, source_sight, behind))
            return x + self.dropout(self.feed(self.feed_norm(x)))  # (B, T, W)
        x = self.attention_norm(x + self.dropout(self.attention(x, mask, past)))
        x = self.cross_norm(x + self.dropout(self.cross(x, source, source_sight, behind)))
        return self.feed_norm(x + self.dropout(self.feed(x)))  # (B, T, W)
