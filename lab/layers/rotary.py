"""Rotary position embedding (RoPE): queries and keys are turned, so that a score depends on the distance alone.

Su et al. 2021, section 3.2. Neighbouring numbers of a head form a pair, as in the paper, Meta's LLaMA and GLM; where
transformers pairs each number of a head's first half with one of the second, an importer moves the rows of the maps.

T tokens   H heads   K head width   P pairs that turn
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lab.settings import SettingsError

# How rotations are slowed for longer texts: the slow ones alone (LLaMA 3.1), all of them, or as YaRN does.
SLOWING = ("by_band", "linear", "yarn")


class Rotary:
    """Turns each pair of a head's numbers by its own ``speed`` (radians) times the token's position. What is left of a
    head behind the last pair stands still.

    Angles are worked out in single precision whatever the model's, as transformers does it. What is turned is made
    ``longer``, too, where a long text must not blur the scores (YaRN).
    """

    def __init__(self, speeds: Sequence[float] | Tensor, *, longer: float = 1.0) -> None:
        self.longer = longer
        self.speeds = torch.as_tensor(speeds, dtype=torch.float32, device="cpu")  # (P,)
        self._turns = torch.empty(0)  # (positions so far, P) complex, on the device of the last call

    def __call__(self, q: Tensor, k: Tensor, start: int) -> tuple[Tensor, Tensor]:
        """``q`` and ``k`` (B, H, T, K), whose first token stands at ``start``."""
        end = start + q.shape[2]
        turns = self._turns  # held here, because another thread may put others in its place
        if len(turns) < end or turns.device != q.device:
            with torch.inference_mode(False):  # or training could not use them afterwards
                self._turns = turns = self._worked_out(end).to(q.device)
        turns = turns[start:end]  # (T, P)
        return _turned(q, turns), _turned(k, turns)

    def _worked_out(self, count: int) -> Tensor:
        angles = torch.arange(count, dtype=torch.float32, device="cpu")[:, None] * self.speeds  # (T, P)
        return torch.polar(torch.full_like(angles, self.longer), angles)


def _turned(x: Tensor, turns: Tensor) -> Tensor:
    """A pair is a complex number: one product turns it."""
    exact = torch.promote_types(x.dtype, torch.float32)  # there are no complex numbers of half the precision
    turning, still = x.tensor_split([2 * turns.shape[-1]], -1)
    pairs = torch.view_as_complex(turning.to(exact).unflatten(-1, (-1, 2)))  # (B, H, T, P)
    turned = torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)
    return torch.cat([turned, still], -1) if still.shape[-1] else turned  # (B, H, T, K)


def speeds(width: int, theta: float = 10_000.0) -> Tensor:
    """From one radian a token down to nearly one in ``theta`` tokens, evenly by their logarithm: (P,)."""
    return theta ** -(torch.arange(0, width, 2, dtype=torch.float32, device="cpu") / width)


def stretched(speeds: Tensor, factor: float, context: int, *, low: float = 1.0, high: float = 4.0) -> Tensor:
    """Speeds for a context ``factor`` times as long as the ``context`` that was learnt first (LLaMA 3.1): (P,).

    What turns ``high`` times or more within the old context stays; what turns less than ``low`` times is slowed by the
    factor; in between, the one passes into the other.
    """
    turns = context * speeds / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return torch.lerp(speeds / factor, speeds, kept)


def ramped(
    speeds: Tensor, factor: float, context: int, theta: float, *, fast: float = 32.0, slow: float = 1.0
) -> Tensor:
    """Speeds for a context ``factor`` times as long, as YaRN has them (Peng et al. 2023, section 3.2): (P,).

    What turns ``fast`` times or more within the old context stays, what turns ``slow`` times or less is slowed by the
    factor, and from pair to pair between these, in whole pairs, the one passes into the other.
    """
    pairs = len(speeds)

    def pair(turns: float) -> float:
        return pairs * math.log(context / (turns * 2 * math.pi)) / math.log(theta)

    first, last = max(math.floor(pair(fast)), 0), min(math.ceil(pair(slow)), 2 * pairs - 1)
    width = last - first or 0.001
    slowed = ((torch.arange(pairs, dtype=torch.float32, device="cpu") - first) / width).clamp(0, 1)
    return torch.lerp(speeds, speeds / factor, slowed)


def lengthened(factor: float) -> float:
    """How much longer queries and keys are, so that scores stay as sharp in a text ``factor`` times as long (YaRN,
    section 3.4)."""
    return 0.1 * math.log(factor) + 1.0 if factor > 1 else 1.0


def slowed(turning: Tensor, way: str, factor: float, context: int, theta: float) -> Rotary:
    """Rotations for a context ``factor`` times as long as the ``context`` that was learnt first, in one of the
    ``SLOWING`` ways."""
    if way == "yarn":
        return Rotary(ramped(turning, factor, context, theta), longer=lengthened(factor))
    return Rotary(turning / factor if way == "linear" else stretched(turning, factor, context))


def check_pairs(turning: int) -> None:
    """Raise SettingsError unless as many numbers of a head can be turned in pairs."""
    if turning < 2 or turning % 2:
        raise SettingsError(
            f"{turning} numbers of each head are rotated (RoPE): choose a width and heads that make it an even "
            "number, since RoPE rotates pairs",
            f"RoPE 在每个头中旋转 {turning} 个数：旋转成对进行，请选择使它为偶数的隐藏维度和头数",
        )
