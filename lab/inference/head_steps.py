"""One attention head, step by step: every matrix between a layer's hidden states and the next, with its real numbers.

The model reads the text once; what it meets on the way is watched, and the steps are worked out from that, one after
the other. The last of them must be the model's own next hidden states: ``off`` says how far apart they are.

T tokens that look   S tokens looked at   W width   H heads   K head width   P learned prefix
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lab.inference.block_steps import Step, Walk, after_attention, before_attention
from lab.inference.head_maps import HeadMap, output, query_key_value
from lab.inference.model import Trained
from lab.inference.passed import Passed, passed
from lab.inference.shown import Shown
from lab.layers.attention import Attention, for_all, joined
from lab.layers.disentangled import Disentangled
from lab.layers.linear import LinearAttention, features
from lab.layers.masks import full_mask
from lab.layers.relative import RelativeAttention
from lab.layers.rotary import Rotary
from lab.layers.window import WindowAttention
from lab.settings import SettingsError
from lab.spelling import spellings


@dataclass(frozen=True, kw_only=True)
class HeadSteps:
    """The steps of one head on one text, and the matrices by name: a row for each token, one for each learned place of
    a prefix in front of those looked at."""

    lookers: list[str]  # T
    looked: list[str]  # S
    prefix: int  # P
    steps: list[Step]
    matrices: dict[str, Tensor]
    maps: dict[str, HeadMap]  # what makes "q", "k", "v" and, of the head's own share, "own"
    norms: dict[str, nn.Module]  # by what they make
    scale: float  # what products are multiplied by
    heads: int
    rotary: Rotary | None
    positions: str  # what adds to the scores: "relative" attention, else "buckets" of distances
    off: float  # the largest difference between the last step and the model's own hidden states


def head_steps(trained: Trained, asked: Shown, kind: str, layer: int, head: int) -> HeadSteps:
    """The steps of a ``head`` in a ``layer`` of the maps of this ``kind``, each counted from 0. Raises SettingsError
    where there is no such head, or where its steps cannot be told apart."""
    with torch.no_grad():
        seen = passed(trained.model, asked.batch, kind, layer)
        if not 0 <= head < seen.heads:
            raise SettingsError(f"a layer has {seen.heads} heads", f"每层有 {seen.heads} 个头")
        walk = Walk()
        read, source = before_attention(walk, seen)
        maps = _queries_keys_values(walk, seen, head, read, source)
        scored = _linear if isinstance(seen.part, LinearAttention) else _scored
        scored(walk, seen, head)
        _gathered(walk, seen, maps["own"])
        last = after_attention(walk, seen, "added")
    pieces = [trained.tokenizer.pieces(ids) for ids in (asked.read, asked.written)]
    lookers, looked = (spellings(pieces[side]) for side in seen.sides)
    part = seen.part
    return HeadSteps(
        lookers=lookers,
        looked=looked,
        prefix=len(walk.matrices["v"]) - len(looked),
        steps=walk.steps,
        matrices={name: matrix.float().cpu() for name, matrix in walk.matrices.items()},
        maps=maps,
        norms=walk.norms,
        scale=_scale(seen),
        heads=seen.heads,
        rotary=part.rotary if isinstance(part, Attention) and isinstance(part.rotary, Rotary) else None,
        positions="relative" if isinstance(part, RelativeAttention) else "buckets",
        off=float((walk.matrices[last] - seen.after).abs().max()),
    )


def _queries_keys_values(walk: Walk, seen: Passed, head: int, read: str, source: str) -> dict[str, HeadMap]:
    """Queries (T, K), keys and values (P + S, K), as they meet; what is turned on its way there, before that, too."""
    part, heads = seen.part, seen.heads
    maps = dict(zip("qkv", query_key_value(part, head, heads), strict=True))
    q, k, v, _ = seen.met
    k, v = for_all(q, k, v)
    met = {"q": q[0, head], "k": k[0, head], "v": v[0, head]}
    turns = isinstance(part, Attention) and part.rotary is not None
    for name, of in zip("qkv", (read, source, source), strict=True):
        plain = turns and name != "v"
        walk.step(name, (of,), name, maps[name](walk.matrices[of]) if plain else met[name])
    if turns:
        walk.step("rotary", ("q",), "turned_q", met["q"])
        walk.step("rotary", ("k",), "turned_k", met["k"])
    return maps | {"own": output(part, head, heads)}


def _scored(walk: Walk, seen: Passed, head: int) -> None:
    """Products (T, P + S), scaled, with what positions add, masked, and made into weights by the softmax."""
    matrices = walk.matrices
    q, k = ("turned_q", "turned_k") if "turned_q" in matrices else ("q", "k")
    walk.step("products", (q, k), "products", matrices[q] @ matrices[k].mT)
    scores = walk.step("scaled", ("products",), "scaled", matrices["products"] * _scale(seen))
    if isinstance(seen.part, Disentangled):
        for name, term in zip(("c2p", "p2c"), seen.part.terms(*seen.met[:2]), strict=True):
            matrices[name] = term[0, head]  # (T, S)
            scores = walk.step(name, (scores, name), f"with_{name}", matrices[scores] + matrices[name])
    elif seen.met[3].bias is not None:
        matrices["bias"] = seen.met[3].bias.expand(-1, seen.heads, -1, -1)[0, head]  # (T, P + S)
        scores = walk.step("bias", (scores, "bias"), "biased", matrices[scores] + matrices["bias"])
    walk.step("masked", (scores,), "masked", matrices[scores].masked_fill(~_table(seen), -torch.inf))
    walk.step("softmax", ("masked",), "weights", matrices["masked"].softmax(-1))


def _linear(walk: Walk, seen: Passed, head: int) -> None:
    """Products of positive features (T, S), masked by zeros, and divided by the sum of their row."""
    matrices = walk.matrices
    walk.step("features", ("q",), "feature_q", features(matrices["q"]))
    walk.step("features", ("k",), "feature_k", features(matrices["k"]))
    walk.step("products", ("feature_q", "feature_k"), "products", matrices["feature_q"] @ matrices["feature_k"].mT)
    walk.step("zeroed", ("products",), "masked", matrices["products"].masked_fill(~_table(seen), 0))
    walk.step("shares", ("masked",), "weights", matrices["masked"] / matrices["masked"].sum(-1, keepdim=True))


def _gathered(walk: Walk, seen: Passed, own: HeadMap) -> None:
    """What the head gathers (T, K), what of it the output projection adds (T, W), and what all heads add."""
    q, k, v, _ = seen.met
    walk.step("mixed", ("weights", "v"), "mixed", walk.matrices["weights"] @ walk.matrices["v"])
    walk.step("own", ("mixed",), "own", walk.matrices["mixed"] @ own.weight.mT)
    together = joined(seen.weights @ for_all(q, k, v)[1])  # (1, T, H * K)
    walk.step("merged", ("own",), "added", seen.part.out(together)[0])


def _scale(seen: Passed) -> float:
    return seen.met[0].shape[-1] ** -0.5 if seen.part.scale is None else seen.part.scale


def _table(seen: Passed) -> Tensor:
    """Who may look at whom: (T, P + S) bool."""
    q, k, _, mask = seen.met
    t, s = q.shape[2], k.shape[2]
    if isinstance(seen.part, WindowAttention):
        mask = seen.part.band.within(mask, t, s, q.device)
    table = full_mask(mask, t, s, q.device)
    return torch.ones(t, s, dtype=torch.bool, device=q.device) if table is None else table.view(t, s)
