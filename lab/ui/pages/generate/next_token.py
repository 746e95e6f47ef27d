"""The next token's distribution: the likeliest tokens, what the samplers cut off, and where the draw falls.

V vocabulary
"""

import math
from typing import Any

import torch
from torch import Tensor

from lab.entries import SoFar
from lab.inference import sampler_chain
from lab.inference.model import Trained
from lab.spelling import spelling
from lab.ui.shell.figures import probability
from lab.ui.words import say

BARS = 14
SEGMENTS = 60  # tokens on the line of the draw


def next_token(
    trained: Trained, logits: Tensor, chain: sampler_chain.Chain, uniform: float, so_far: SoFar
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The likeliest next tokens with what each sampler makes of their logits, and the draw among those that are left.
    The browser works out the same in next_token.js."""
    stages = sampler_chain.stages(logits, chain, so_far)  # (V,) each
    before, after = logits.softmax(-1), [logits, *stages][-1].softmax(-1)  # (V,), (V,)
    drawn = sampler_chain.draw(after, uniform)
    ordered, ids = after.double().sort(descending=True, stable=True)
    cumulative = torch.empty_like(ordered).scatter(0, ids, ordered.cumsum(0))  # (V,)
    order = before.sort(descending=True, stable=True).indices[:BARS].tolist()
    shown = order if drawn in order else [*order[:-2], drawn]  # a mark of the gap takes the place of one
    bars = [
        {
            "name": say("generate.end") if piece.special else spelling(piece),
            "token": not piece.special,
            "logit": number(logits[piece.id]),
            "steps": [number(stage[piece.id]) for stage in stages],
            "value": probability(after[piece.id]),
            "expected": probability(before[piece.id]),
            "cumulative": probability(cumulative[piece.id]) if after[piece.id] > 0 else None,
            "cut": not bool(after[piece.id] > 0),
            "chosen": piece.id == drawn,
            "apart": piece.id not in order,
            "key": str(piece.id),
        }
        for piece in trained.tokenizer.pieces(shown)
    ]
    place = len(so_far.ids) - so_far.given
    return {"bars": bars, "chain": [name for name, _ in chain]}, draw(trained, before, after, uniform, drawn, place)


def number(logit: Tensor) -> float | None:
    """A logit with as many digits as anybody reads; nothing where it is cut off."""
    return round(float(logit), 3) if math.isfinite(logit) else None


def draw(trained: Trained, before: Tensor, after: Tensor, uniform: float, drawn: int, place: int) -> dict[str, Any]:
    """The tokens that are left, laid end to end as sampler_chain.draw lays them, and where the number falls."""
    ordered, ids = after.double().sort(descending=True, stable=True)
    left = int((ordered > 0).sum())
    pieces = trained.tokenizer.pieces(ids[: min(left, SEGMENTS)].tolist())
    segments: list[Any] = [
        [say("generate.end") if piece.special else spelling(piece), probability(p)]
        for piece, p in zip(pieces, ordered.tolist(), strict=False)
    ]
    chosen = next((i for i, piece in enumerate(pieces) if piece.id == drawn), len(segments))
    if left > SEGMENTS:
        segments.append([say("generate.others", n=f"{left - SEGMENTS:,}"), probability(ordered[SEGMENTS:].sum())])
    [piece] = trained.tokenizer.pieces([drawn])
    token = say("generate.quoted", token=say("generate.end") if piece.special else spelling(piece))
    if chosen == len(pieces):
        token = say("generate.among", n=f"{left - SEGMENTS:,}", token=token)
    kept = float(before[after > 0].sum())
    note = say(
        "generate.lot",
        n=place + 1,
        left=f"{left:,}",
        all=f"{int((before > 0).sum()):,}",
        share=f"{100 * kept:.1f}\N{NO-BREAK SPACE}%",
        uniform=f"{uniform:.3f}",
        token=token,
    )
    return {"segments": segments, "uniform": uniform, "chosen": chosen, "place": place, "note": note}
