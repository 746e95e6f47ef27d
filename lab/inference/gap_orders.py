"""Several gaps of one text: filled at once, or one by one in some order, each knowing those before it; and what a model
that fills gaps says of a text without any.

T tokens   V vocabulary
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.batch import Exercise, collate
from lab.inference.inputs import framed, masked_alone, reading, with_gaps
from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.vocabulary import MASK

Ids = NDArray[np.int64]
Order = Literal["at once", "left to right", "right to left", "surest first"]
ORDERS: tuple[Order, ...] = ("at once", "left to right", "right to left", "surest first")


@dataclass(frozen=True)
class Filling:
    """The tokens put into the gaps, from the first to the last; which gap was filled when, from 0; and the sum of the
    log-probabilities, each given what had been filled before it, in nats."""

    tokens: list[int]
    turns: list[int]
    logprob: float


def fill_gaps(trained: Trained, text: str, order: Order) -> Filling:
    """Put the likeliest token into each [MASK] of the text.

    Filled at once, no gap knows of another: their tokens need not go together. One by one each does, but the
    probabilities depend on the order, since a masked language model learns conditionals that need not be those of one
    joint distribution (Yang et al. 2019, section 2.1; Young and You 2023). Raises SettingsError for a model that does
    not fill gaps with single tokens, and where there is no gap.
    """
    ids, mask = framed(_filler(trained), with_gaps(trained, text)), trained.tokenizer.vocabulary.mask
    gaps = np.flatnonzero(ids == mask).tolist()
    if not gaps:
        raise SettingsError(f"there is no {MASK} in the text", f"文本中没有 {MASK}")
    tokens, turns, total = [0] * len(gaps), [0] * len(gaps), 0.0
    open_ = [*range(len(gaps))]
    while open_:
        logprobs, best = _logprobs(trained, ids, [gaps[gap] for gap in open_]).max(-1)  # of the gaps that are open
        turn = len(gaps) - len(open_)
        for at in _next(order, logprobs):
            gap = open_[at]
            tokens[gap], turns[gap] = int(best[at]), turn
            total += float(logprobs[at])
            ids[gaps[gap]] = tokens[gap]
        open_ = [gap for gap in open_ if ids[gaps[gap]] == mask]
    return Filling(tokens, turns, total)


def pseudo_logprobs(trained: Trained, text: str, longest: int | None = None) -> tuple[Ids, list[float]]:
    """The ids of a text and the log-probability of each in nats, masked alone and given all others: its
    pseudo-log-likelihood is their sum, its pseudo-perplexity exp of minus their mean (Salazar et al. 2020). At most
    ``longest`` tokens are read. Raises SettingsError for a model that does not fill gaps with single tokens."""
    vocabulary = _filler(trained).tokenizer.vocabulary
    own = trained.tokenizer.encode(text)[:longest]
    ids = framed(trained, own)
    special = np.isin(ids, [*vocabulary.specials.values()])
    places = np.flatnonzero(~special)
    if not len(places):
        return ids[places], []
    logprobs = _said(trained, masked_alone(trained, ids, places))  # (N, V)
    return ids[places], logprobs[torch.arange(len(places)), torch.from_numpy(ids[places])].tolist()


def pseudo_perplexity(logprobs: Sequence[float]) -> float:
    """exp of the mean surprise: 1 for a text that leaves no doubt."""
    return math.exp(-sum(logprobs) / max(len(logprobs), 1))


def _filler(trained: Trained) -> Trained:
    if trained.left_to_right or trained.seq2seq is not None or trained.fills_onward:
        raise SettingsError(
            "this model does not fill a gap with one token: choose a masked language model",
            "这个模型不是用一个词元填空：请选择掩码语言模型",
        )
    return trained


def _next(order: Order, logprobs: Tensor) -> list[int]:
    """Which of the gaps that are open are filled now."""
    if order == "at once":
        return [*range(len(logprobs))]
    return [{"left to right": 0, "right to left": len(logprobs) - 1, "surest first": int(logprobs.argmax())}[order]]


def _logprobs(trained: Trained, ids: Ids, places: Sequence[int]) -> Tensor:
    """The log-probabilities of what may stand in these places of a framed text: (gaps, V)."""
    exercise = reading(trained, ids)
    asked = np.zeros_like(exercise.asked)
    asked[0, [*places]] = True
    return _said(trained, replace(exercise, asked=asked))


def _said(trained: Trained, exercise: Exercise) -> Tensor:
    with torch.no_grad():
        logits: Tensor = trained.model(collate(exercise).to(trained.device)).tokens.float().cpu()
    logits[:, [*trained.tokenizer.vocabulary.specials.values()]] = -torch.inf
    return logits.log_softmax(-1)
