"""The sampler chain: from a model's logits, through samplers (logits processors, logits warpers) to the token that is
drawn, the one that a uniform number falls on. Each sampler is a file in ``lab/samplers/``.

B texts   V vocabulary
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar

Chain = Sequence[tuple[str, dict[str, Any]]]  # samplers by name with their settings, in the order of application
FEW = 64  # of the likeliest tokens: nearly always the one that is drawn is among them


def apply_samplers(logits: Tensor, chain: Chain, so_far: SoFar) -> Tensor:
    """The probabilities after the samplers, 0 where they cut off: (..., V), of texts that hold the same so far."""
    return [logits, *stages(logits, chain, so_far)][-1].softmax(-1)


def stages(logits: Tensor, chain: Chain, so_far: SoFar) -> list[Tensor]:
    """The logits after each sampler of the chain, -inf where it cuts off: (..., V) each."""
    after = []
    for name, values in chain:
        entry = SAMPLERS[name]
        logits = entry.applied(logits, entry.settings.load(values), so_far)
        after.append(logits)
    return after


def keeps_state(chain: Chain) -> bool:
    """Whether one of the samplers keeps something from token to token."""
    return any(SAMPLERS[name].state is not None for name, _ in chain)


def states_after(logits: Tensor, chain: Chain, so_far: SoFar, token: int) -> dict[str, float]:
    """What the samplers keep, by their names, once a token has been drawn by way of them from logits (V,)."""
    kept = {}
    for (name, values), reached in zip(chain, [logits, *stages(logits, chain, so_far)], strict=False):
        entry = SAMPLERS[name]
        settings = entry.settings.load(values)
        if entry.state is not None:
            kept[name] = entry.state.after(entry.kept(settings, so_far), reached, settings, token)
    return kept


def draw(probabilities: Tensor, uniform: float) -> int:
    """The token at which the probabilities (V,), laid end to end from the likeliest down, pass ``uniform`` in
    [0, 1)."""
    return int(draw_each(probabilities[None], torch.tensor([uniform], dtype=torch.float64))[0])


def draw_each(probabilities: Tensor, uniforms: Tensor) -> Tensor:
    """A token for each text, as ``draw`` draws it: (B,) of (B, V) and (B,)."""
    goals = (uniforms * probabilities.sum(-1, dtype=torch.float64))[:, None]  # (B, 1)
    likeliest, first = probabilities.max(-1, keepdim=True)  # (B, 1) each, the first of equals
    if (goals < likeliest).all():  # all draw the likeliest, as in greedy decoding: the others need no order
        return first[:, 0]
    ordered, ids = _likeliest(probabilities)
    if (ordered.sum(-1, keepdim=True) <= goals).any():  # somebody draws one of the unlikely
        ordered, ids = probabilities.double().sort(descending=True, stable=True)
    place = torch.searchsorted(ordered.cumsum(-1), goals, right=True)  # (B, 1)
    last = (ordered > 0).sum(-1, keepdim=True) - 1
    return ids.gather(-1, place.minimum(last))[:, 0]


def _likeliest(probabilities: Tensor) -> tuple[Tensor, Tensor]:
    """The beginning of the probabilities (B, V) in falling order, in float64, equals by their ids, and those ids:
    sorting a few is quicker than all. Those that equal the last few are left out, 0 here: which of them are among the
    few is chance."""
    few = min(FEW, probabilities.shape[-1])
    values, ids = probabilities.topk(few)  # (B, few)
    ids, order = ids.sort(-1)
    values = values.gather(-1, order).double()
    if few < probabilities.shape[-1]:
        values = values * (values > values.amin(-1, keepdim=True))
    ordered, order = values.sort(descending=True, stable=True)
    return ordered, ids.gather(-1, order)
