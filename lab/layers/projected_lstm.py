"""The LSTM with projection: a wide memory and a narrow state, in two directions (Sak et al. 2014, section 2).

B batch   T tokens   S width of one direction's state   W width, both directions beside each other   C cells
"""

import torch
from torch import Tensor, nn


class ProjectedCell(nn.Module):
    """An LSTM whose state is a projection of its wider memory.

    Gates stand in the order enter, new, forget, leave; forgetting begins as seldom, and neither memory nor state ever
    leaves -3 to 3, as in the code of Peters et al.
    """

    def __init__(self, width: int, cells: int) -> None:
        super().__init__()
        self.read = nn.Linear(width, 4 * cells)
        self.again = nn.Linear(width, 4 * cells, bias=False)
        self.project = nn.Linear(cells, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` (B, T, S), read from the first token on."""
        state, memory = x.new_zeros(len(x), x.shape[2]), x.new_zeros(len(x), self.project.in_features)
        out = []
        # Token by token: each state needs the one before it, so that no two tokens of a row can be worked out at a
        # time. It is one reason why Transformers took over.
        for told in self.read(x).unbind(1):  # (B, 4 C)
            enter, new, forget, leave = (told + self.again(state)).chunk(4, -1)  # (B, C) each
            memory = torch.sigmoid(forget + 1) * memory + torch.sigmoid(enter) * torch.tanh(new)
            memory = memory.clamp(-3, 3)
            state = self.project(torch.sigmoid(leave) * torch.tanh(memory)).clamp(-3, 3)
            out.append(state)
        return torch.stack(out, 1)  # (B, T, S)


class TwoWays(nn.Module):
    """One layer in each direction; where it is ``residual``, its input is added to what it says."""

    def __init__(self, width: int, cells: int, *, residual: bool, dropout: float = 0.0) -> None:
        super().__init__()
        self.residual = residual
        self.dropout = nn.Dropout(dropout)
        self.cell = nn.ModuleDict({way: ProjectedCell(width // 2, cells) for way in ("forth", "back")})

    def forward(self, x: Tensor, real: Tensor | None) -> Tensor:
        """``x`` (B, T, W), whose first half has read from the left; ``real`` (B, T)."""
        x = self.dropout(x)
        forth, back = x.chunk(2, -1)
        read = self.cell["back"](turned(back, real))
        both = torch.cat([self.cell["forth"](forth), turned(read, real)], -1)  # (B, T, W)
        return x + both if self.residual else both


def turned(x: Tensor, real: Tensor | None) -> Tensor:
    """Each row (B, T, S) back to front, its padding left behind it."""
    if real is None:
        return x.flip(1)
    places = torch.arange(x.shape[1], device=x.device)
    last = real.sum(1, keepdim=True) - 1  # (B, 1)
    order = torch.where(places <= last, last - places, places)  # (B, T)
    return x.gather(1, order[:, :, None].expand_as(x))
