"""The repetition penalty: tokens that stand in the text already become less likely.

V vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class RepetitionPenalty(Settings):
    """By how much they become less likely."""

    penalty: float = knob(1.2, "Penalty", "惩罚", low=0.1, high=5.0, step=0.05)


@SAMPLERS.add(
    "repetition_penalty",
    title="Repetition penalty",
    zh=("重复惩罚", "文本中已有的词元变得不那么可能。"),
    paper="Keskar et al. 2019, section 4.1",
    settings=RepetitionPenalty,
    looks_back=True,
    order=1,
)
def repetition_penalty(logits: Tensor, s: RepetitionPenalty, so_far: SoFar) -> Tensor:
    """Makes tokens that the text holds already, the prompt among them, less likely."""
    ids = torch.tensor(sorted({*so_far.ids}), dtype=torch.int64)
    held = logits[..., ids]
    # The paper divides every logit, which would make those below 0 likelier; its code, and all since, multiply them.
    return logits.index_copy(-1, ids, torch.where(held < 0, held * s.penalty, held / s.penalty))  # (..., V)
