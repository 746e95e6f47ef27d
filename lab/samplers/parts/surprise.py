"""Mirostat's feedback: a bound on surprise that follows how surprising the tokens were that it let through.

V vocabulary
"""

import math
from dataclasses import dataclass

from torch import Tensor

from lab.entries import SamplerState
from lab.settings import Settings, knob

MOST = 64.0  # bits that count of a token that was all but impossible, as one that a visitor picks may be


@dataclass(frozen=True, kw_only=True)
class Feedback(Settings):
    """What surprise is aimed at, and how quickly."""

    tau: float = knob(3.0, "τ: target surprise in bits", "τ：目标意外度（比特）", low=0.1, high=15.0, step=0.1)
    rate: float = knob(0.1, "η: step size of the correction", "η：修正的步长", low=0.01, high=1.0, step=0.01)


def surprises(logits: Tensor) -> Tensor:
    """The surprise of every token in bits: (..., V) of (..., V)."""
    return logits.double().log_softmax(-1) / -math.log(2)


def after(mu: float, logits: Tensor, s: Feedback, token: int) -> float:
    """The bound after a token: lower if the token surprised more than ``tau`` bits, higher if less. Its probability is
    the one before the cut, as in the authors' code (llama.cpp takes the one after it)."""
    return mu - s.rate * (min(float(surprises(logits)[token]), MOST) - s.tau)


STATE = SamplerState(starts=lambda s: 2 * s.tau, after=after)
