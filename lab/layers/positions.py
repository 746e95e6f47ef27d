"""Position embeddings, by position ids: a vector for each, learned or sinusoidal, or a bias for each distance and head.

B batch   T tokens   S tokens looked at   W width   H heads
"""

import math

import torch
from torch import Tensor, nn

from lab.settings import SettingsError


class Learned(nn.Module):
    """A table with a row for each position of the context."""

    first = 0  # the row of the first position

    def __init__(self, context: int, width: int) -> None:
        super().__init__()
        self.context = context
        self.table = nn.Embedding(self.first + context, width)

    def forward(self, ids: Tensor, start: int = 0, places: Tensor | None = None) -> Tensor:
        """The vectors of as many positions as there are ``ids`` (B, T), from ``start`` on: (T, W) or (B, T, W). Where
        there are ``places`` (B, T, P), the first number of each says its position."""
        # Some exercises give positions with their tokens (GLM); else they are counted from ``start``, which is not 0
        # behind a cache.
        if places is not None:
            return self.table(self.first + places[..., 0])
        check_length(start + ids.shape[1], self.context)
        return self.rows(ids, start)

    def rows(self, ids: Tensor, start: int) -> Tensor:
        """One vector for each position, whatever stands there: (T, W)."""
        return self.table.weight[self.first + start :][: ids.shape[1]]


def check_length(length: int, context: int) -> None:
    """Raise SettingsError where a text has more tokens than the context."""
    if length > context:
        raise SettingsError(
            f"{length} tokens are more than the context of {context}", f"{length} 个词元超出了上下文长度 {context}"
        )


class TwoFold(nn.Module):
    """Two learned positions summed: where a token or its blank stands in the text, and where it stands in its blank.

    In the text itself the second is 0 (Du et al. 2021, section 2.2).
    """

    def __init__(self, context: int, width: int) -> None:
        super().__init__()
        self.text = Learned(context + 1, width)  # one row more than there are positions, as published
        self.blank = Learned(context + 1, width)

    def forward(self, ids: Tensor, start: int = 0, places: Tensor | None = None) -> Tensor:
        """``places`` (B, T, 2); without them all is text."""
        inside = self.blank.table.weight[0] if places is None else self.blank.table(places[..., 1])
        return self.text(ids, start, places) + inside


class Behind(Learned):
    """Positions of which the first has row 2, whatever stands there; the rows before it are never read."""

    first = 2


class Counted(Learned):
    """Positions that are counted over the tokens that are no padding, by their ids: padding takes no position.

    The first token has row 2, all padding row 1; row 0 is never read. fairseq numbered positions from behind the id of
    its padding, which was 1, and every published RoBERTa and BART kept that.
    """

    first = 2

    def __init__(self, context: int, width: int, pad: int) -> None:
        super().__init__(context, width)
        self.pad = pad

    def rows(self, ids: Tensor, start: int) -> Tensor:
        """One vector for each token: (B, T, W)."""
        # cumsum counts the tokens that are no padding up to each place; padding itself stays on one row, which all of
        # it shares.
        real = ids != self.pad  # (B, T)
        place = torch.where(real, real.cumsum(1) + start + self.first - 1, self.first - 1)  # (B, T)
        return self.table(place)


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Sines, then cosines, of each position at speeds from 1 down to 1/10000 (Vaswani et al. 2017, section 3.5, where
    they alternate): (..., T, W), always in single precision."""
    steps = torch.arange(0, width, 2.0, device=positions.device)  # (W/2,)
    angles = positions.float()[..., None] * (1 / torch.pow(10_000, steps / width))  # (..., T, W/2)
    return torch.cat([angles.sin(), angles.cos()], -1)[..., :width]


class Buckets(nn.Module):
    """Adds to each head's scores a number that depends on how far apart two tokens are (Raffel et al. 2019, 2.1).

    Near distances have a bucket each; farther ones share buckets that grow with the distance, and all from
    ``farthest`` on share the last. ``both``: half of the buckets are for what stands to the right.
    """

    def __init__(self, heads: int, *, both: bool, buckets: int = 32, farthest: int = 128) -> None:
        super().__init__()
        self.table = nn.Embedding(buckets, heads)
        self.both = both
        self.farthest = farthest

    def forward(self, count: int, start: int = 0) -> Tensor:
        """What ``count`` tokens from ``start`` on add to their scores of all tokens so far: (1, H, T, S)."""
        places = torch.arange(start + count, device=self.table.weight.device)
        # A score changes by a number for each distance and head; the tokens themselves carry no position at all.
        distance = places[None] - places[start:, None]  # (T, S), positive to the right
        return self.table(self.bucket(distance)).permute(2, 0, 1)[None]

    def bucket(self, distance: Tensor) -> Tensor:
        """The bucket of each distance."""
        buckets = self.table.num_embeddings // (2 if self.both else 1)
        side = buckets * (distance > 0) if self.both else 0
        far = distance.abs() if self.both else (-distance).clamp(min=0)
        exact = buckets // 2
        # Half of the buckets are exact; the rest grow with the logarithm: one word more or less matters next door, not
        # a hundred words away.
        grown = torch.log(far.clamp(min=1).float() / exact) / math.log(self.farthest / exact) * (buckets - exact)
        return side + torch.where(far < exact, far, (exact + grown.long()).clamp(max=buckets - 1))
