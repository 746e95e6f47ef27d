"""Prefix tuning: learned keys and values at which every token may look, in front of those of the text (Li and Liang
2021, section 4; in every layer of encoders, too, as P-tuning v2 has it, Liu et al. 2022).

They are learned as they are, without the network that Li and Liang let make them. Values begin at zero, keys at random.

G heads of keys and values   P places of the prefix   K head width   B batch   S tokens looked at
"""

import torch
from torch import Tensor, nn

from lab.layers.masks import AttentionMask, behind_memory


class Prefix(nn.Module):
    """So many places in front of a text."""

    def __init__(self, heads: int, places: int, head_width: int) -> None:
        super().__init__()
        self.keys = nn.Parameter(torch.randn(heads, places, head_width))
        self.values = nn.Parameter(torch.zeros(heads, places, head_width))

    def forward(self, k: Tensor, v: Tensor, mask: AttentionMask) -> tuple[Tensor, Tensor, AttentionMask]:
        """Keys and values (B, G, S, K) with the prefix in front, (B, G, P + S, K), and who may look at whom then."""
        places = self.keys.shape[1]
        # The same for every text: (G, P, K) each, spread over the batch. They stand before all positions, so that they
        # have none.
        keys, values = (own.to(k.dtype).expand(len(k), -1, -1, -1) for own in (self.keys, self.values))
        return torch.cat([keys, k], 2), torch.cat([values, v], 2), behind_memory(mask, places)
