"""The input as a sum: the token, segment and position vectors of a text, and how alike positions are.

T tokens   E table width   P positions   H heads
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from lab.inference.model import Trained
from lab.inference.probe import stack_of
from lab.inference.shown import Shown
from lab.layers.attention import Attention
from lab.layers.disentangled import Disentangled
from lab.layers.embeddings import Embedding
from lab.layers.positions import Learned, TwoFold
from lab.layers.relative import RelativeAttention
from lab.layers.rotary import Rotary
from lab.layers.stacks import Stack

TOKEN, SEGMENT, POSITION = PARTS = ("token", "segment", "position")
LEARNED, ROTARY, BUCKETS, DISENTANGLED, RELATIVE, NONE = WAYS = (
    "learned",
    "rotary",
    "buckets",
    "disentangled",
    "relative",
    "none",
)


@dataclass(frozen=True, kw_only=True)
class InputSum:
    """The vectors of each token that are added up, before anything is normalised or projected."""

    ids: NDArray[np.int64]  # (T,)
    parts: dict[str, Tensor]  # by name, those that there are: (T, E) each
    way: str  # one of WAYS: how the model knows where a token stands

    @property
    def whole(self) -> Tensor:
        """Their sum: (T, E)."""
        return torch.stack([*self.parts.values()]).sum(0)


def input_sum(trained: Trained, asked: Shown, kind: str = "") -> InputSum:
    """What is added up at the bottom of the stack that draws this kind of maps. Raises SettingsError where there is no
    such stack."""
    stack, written = stack_of(trained.model, kind), kind in ("decoder", "cross")
    batch, embed = asked.batch, stack.embed
    ids = batch.source if batch.source is not None and not written else batch.shown
    assert ids is not None and isinstance(embed, Embedding)
    with torch.no_grad():
        tokens = embed.tokens(ids)[0]  # (T, E)
        parts = {TOKEN: tokens}
        if embed.segments is not None:
            last = embed.segments.num_embeddings - 1
            own = torch.zeros_like(ids) if batch.segments is None else batch.segments.clamp(max=last)
            parts[SEGMENT] = embed.segments(own)[0]
        if embed.positions is not None:
            parts[POSITION] = embed.positions(ids, 0, batch.positions).expand(1, -1, -1)[0]
    parts = {name: part.detach().float().cpu() for name, part in parts.items()}
    return InputSum(ids=ids[0].cpu().numpy(), parts=parts, way=way_of(stack))


def way_of(stack: Stack) -> str:
    """How the blocks know where a token stands."""
    if stack.embed.positions is not None:
        return LEARNED
    if stack.distances is not None:
        return BUCKETS
    part = stack.blocks[0].attention
    if isinstance(part, Disentangled):
        return DISENTANGLED
    if isinstance(part, RelativeAttention):
        return RELATIVE
    return ROTARY if isinstance(part, Attention) and part.rotary is not None else NONE


def positions_alike(trained: Trained, kind: str = "", most: int = 64) -> Tensor | None:
    """How alike the first ``most`` positions are: (P, P), from -1 to 1. Of learned vectors the cosines; of rotary
    embedding the mean cosine of the angles by which two positions are turned apart, which is what the product of a
    vector with itself keeps. None where positions have no vectors and nothing is turned."""
    stack = stack_of(trained.model, kind)
    count = min(most, trained.context)
    positions, part = stack.embed.positions, stack.blocks[0].attention
    learned = positions.text if isinstance(positions, TwoFold) else positions
    if isinstance(learned, Learned):
        rows = learned.table.weight[learned.first : learned.first + count].detach().float().cpu()
        units = functional.normalize(rows, dim=-1)
        return units @ units.T
    if isinstance(part, Attention) and isinstance(part.rotary, Rotary):
        place = torch.arange(count)
        angles = (place - place[:, None])[..., None] * part.rotary.speeds  # (P, P, pairs)
        return angles.cos().mean(-1)
    return None
