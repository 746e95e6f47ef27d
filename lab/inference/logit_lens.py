"""The logit lens: what a model would say at each layer and place if it stopped there (nostalgebraist 2020).

L layers   N places that are asked   K likeliest answers   V vocabulary, or classes
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.inference.asked import names
from lab.inference.early_exit import Exits, exits
from lab.inference.model import Trained
from lab.inference.shown import Shown
from lab.spelling import spellings

LIKELIEST = 3
BY_LAYER = ("likeliest", "probability", "final", "rank", "entropy")


@dataclass(frozen=True, kw_only=True)
class Lens:
    """What each layer would answer, the embedding first and the model's own answer last: L + 1 rows."""

    what: str  # as of Exits
    norm: str  # as of Exits
    tokens: list[str]  # N: those that stand at the places that are asked
    places: NDArray[np.int64]  # (N,); of a class none
    own: Tensor  # (N,) int64: the model's own likeliest answers, or those that were asked after
    likeliest: Tensor  # (L + 1, N, K) int64
    probability: Tensor  # (L + 1, N, K): of these
    final: Tensor  # (L + 1, N): of its own answer
    rank: Tensor  # (L + 1, N) int64: which place that answer has, counted from 1
    entropy: Tensor  # (L + 1, N) nats
    most: float  # nats: the entropy where all answers are equally likely
    answers: dict[int, str]  # how the likeliest answers are spelt


def lens(trained: Trained, asked: Shown) -> Lens:
    """What the layers would say of what is shown. Raises SettingsError as ``exits`` does."""
    early = exits(trained, asked)
    last = early.scores(-1)  # (N, V)
    return _read(trained, early, last.argmax(-1), last, slice(None))


def lenses(moments: Sequence[Trained], asked: Callable[[Trained], Shown]) -> Lens:
    """The lens of one model at several ``moments`` of its training, the last of them as it is now: what each would say
    where it is asked about, one beside the other in the place of N. Their own answer is that of the last."""
    early = [exits(trained, asked(trained)) for trained in moments]
    last = early[-1].scores(-1)  # (N, V)
    own = last[early[-1].meant].argmax()[None]
    read = [
        _read(trained, exit_of, own, last, slice(exit_of.meant, exit_of.meant + 1))
        for trained, exit_of in zip(moments, early, strict=True)
    ]
    parts: dict[str, Any] = {name: torch.cat([getattr(exit_of, name) for exit_of in read], 1) for name in BY_LAYER}
    answers = {number: name for exit_of in read for number, name in exit_of.answers.items()}
    return replace(
        read[-1],
        **parts,
        answers=answers,
        own=own.expand(len(read)),
        tokens=read[-1].tokens * len(read),
        places=np.repeat(read[-1].places, len(read)),
    )


def _read(trained: Trained, early: Exits, own: Tensor, last: Tensor, some: slice) -> Lens:
    """The lens at some places (N of them) of which ``own`` (N,) are the answers to be followed."""
    rows = [_row(early.scores(layer)[some].softmax(-1), own[:, None]) for layer in range(len(early.hidden))]
    likeliest, probability, final, rank, entropy = (torch.stack(part) for part in zip(*rows, strict=True))
    chosen = torch.cat([likeliest.flatten(), own]).unique().tolist()
    return Lens(
        what=early.what,
        norm=early.norm,
        tokens=spellings(trained.tokenizer.pieces(early.ids[early.places]))[some],
        places=early.places[some],
        own=own,
        likeliest=likeliest,
        probability=probability,
        final=final,
        rank=rank,
        entropy=entropy,
        most=float(last[0].isfinite().sum().log()),
        answers=dict(zip(chosen, names(trained, early.what, chosen), strict=True)),
    )


def _row(layer: Tensor, own: Tensor) -> tuple[Tensor, ...]:
    """Of one layer (N, V), where ``own`` (N, 1) are the model's own answers."""
    probability, likeliest = layer.topk(min(LIKELIEST, layer.shape[1]), -1)
    final = layer.gather(1, own)  # (N, 1)
    return likeliest, probability, final[:, 0], 1 + (layer > final).sum(-1), torch.special.entr(layer).sum(-1)
