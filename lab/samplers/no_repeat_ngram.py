"""No-repeat n-gram: what would complete a sequence of n tokens that stands in the text already cannot be drawn.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class NoRepeatNgram(Settings):
    """How long a sequence must be that may not come twice."""

    n: int = knob(3, "n: tokens in a sequence", "n：序列的词元数", low=1, high=20, step=1)


@SAMPLERS.add(
    "no_repeat_ngram",
    title="No-repeat n-gram",
    zh=("禁止重复 n 元组", "若某个词元会使一个 n 元组重复出现，就不能抽它。"),
    paper="Paulus et al. 2017, section 2.5",
    settings=NoRepeatNgram,
    looks_back=True,
    order=4,
)
def no_repeat_ngram(logits: Tensor, s: NoRepeatNgram, so_far: SoFar) -> Tensor:
    """Rules out every token that would make a sequence of n tokens come twice."""
    ids = [*so_far.ids]
    opening = ids[len(ids) - s.n + 1 :]  # the n - 1 tokens that the next one would complete
    starts = range(len(ids) - s.n + 1)
    again = sorted({ids[at + s.n - 1] for at in starts if ids[at : at + s.n - 1] == opening})
    cut = logits.index_fill(-1, torch.tensor(again, dtype=torch.int64), -torch.inf)  # (..., V)
    # Where nothing else is possible, a repetition is better than no text.
    return torch.where(cut.isfinite().any(-1, keepdim=True), cut, logits)
