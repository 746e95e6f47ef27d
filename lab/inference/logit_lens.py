"""The logit lens: what a model would say at each layer and place if it stopped there (nostalgebraist 2020).

L layers   N places that are asked   K likeliest answers   V vocabulary, or classes
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.inference.asked import names
from lab.inference.early_exit import exits
from lab.inference.model import Trained
from lab.inference.shown import Shown
from lab.spelling import spellings

LIKELIEST = 3


@dataclass(frozen=True, kw_only=True)
class Lens:
    """What each layer would answer, the embedding first and the model's own answer last: L + 1 rows."""

    what: str  # as of Exits
    norm: str  # as of Exits
    tokens: list[str]  # N: those that stand at the places that are asked
    places: NDArray[np.int64]  # (N,); of a class none
    likeliest: Tensor  # (L + 1, N, K) int64
    probability: Tensor  # (L + 1, N, K): of these
    final: Tensor  # (L + 1, N): of the model's own likeliest answer
    rank: Tensor  # (L + 1, N) int64: which place that answer has, counted from 1
    entropy: Tensor  # (L + 1, N) nats
    most: float  # nats: the entropy where all answers are equally likely
    answers: dict[int, str]  # how the likeliest answers are spelt


def lens(trained: Trained, asked: Shown) -> Lens:
    """What the layers would say of what is shown. Raises SettingsError as ``exits`` does."""
    found = exits(trained, asked)
    last = found.scores(-1)  # (N, V)
    own = last.argmax(-1)[:, None]  # (N, 1)
    rows = [_row(found.scores(layer).softmax(-1), own) for layer in range(len(found.hidden))]
    likeliest, probability, final, rank, entropy = (torch.stack(part) for part in zip(*rows, strict=True))
    chosen = likeliest.unique().tolist()
    ids = found.ids[found.places]
    return Lens(
        what=found.what,
        norm=found.norm,
        tokens=spellings(trained.tokenizer.pieces(ids)),
        places=found.places,
        likeliest=likeliest,
        probability=probability,
        final=final,
        rank=rank,
        entropy=entropy,
        most=float(last[0].isfinite().sum().log()),
        answers=dict(zip(chosen, names(trained, found.what, chosen), strict=True)),
    )


def _row(layer: Tensor, own: Tensor) -> tuple[Tensor, ...]:
    """Of one layer (N, V), where ``own`` (N, 1) are the model's own answers."""
    probability, likeliest = layer.topk(min(LIKELIEST, layer.shape[1]), -1)
    final = layer.gather(1, own)  # (N, 1)
    return likeliest, probability, final[:, 0], 1 + (layer > final).sum(-1), torch.special.entr(layer).sum(-1)
