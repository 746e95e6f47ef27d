"""Ablation: heads are knocked out or scaled, single looks masked, blocks skipped, while a model reads; no weight moves.

What is changed is changed where it passes, in this thread alone: other visitors' readings of the same model stay as
they are. A head that is knocked out adds what it would add with the columns of the output projection that it feeds at
zero (Michel et al. 2019, section 2.2).

B batch: 1   T tokens that look   S tokens looked at   H heads   P learned prefix
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from torch import Tensor, nn

from lab.inference.probe import kind_of, stack_of
from lab.layers.attention import Attending, Attention
from lab.layers.enhanced import EnhancedStack
from lab.layers.relative import RelativeAttention
from lab.layers.stacks import Stack
from lab.layers.two_streams import TwoStreams
from lab.layers.watch import Look, Watch, looking
from lab.settings import SettingsError


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of one kind of maps: in a ``layer`` and a ``head``, counted from 0, or in all of them.

    Weights are multiplied by the ``factor``; where there is an ``edge`` (t, s), token t may not look at token s
    instead, and its other looks share what it gave there."""

    kind: str = ""
    layer: int | None = None
    head: int | None = None
    factor: float = 0.0
    edge: tuple[int, int] | None = None


@contextmanager
def changed(model: nn.Module, change: Change) -> Iterator[None]:
    """Inside the ``with``, and in this thread alone, the model reads so. Raises SettingsError where a token would be
    left with nobody to look at, or where a single look cannot be told apart."""
    looks: dict[Watch, Look] = {}
    for path, stack in model.named_modules():
        if not isinstance(stack, Stack) or path.startswith("generator."):
            continue
        for place, block in enumerate(stack.blocks):
            for name, part in block.named_children():
                if isinstance(part, Attending) and kind_of(f"{path}.{name}", part) == change.kind:
                    if change.edge and isinstance(part, RelativeAttention):
                        raise SettingsError(
                            "single looks of this model cannot be masked: its answers come from a second stream",
                            "这个模型无法单独掩盖一次注意：它的回答来自第二条流",
                        )
                    runs = _Runs(place, len(stack.blocks), stack.times)
                    looks[part.watch] = partial(_weighed, change, runs, _prefix(part))
    with looking(looks):
        yield


@contextmanager
def skipped(model: nn.Module, kind: str, layer: int) -> Iterator[None]:
    """Inside the ``with``, and in this thread alone, the block of a ``layer`` passes on what it reads. ``kind`` says in
    which stack. Raises SettingsError for the last block of a mask decoder, which reads with it once more."""
    stack = stack_of(model, kind)
    depth = stack.times * len(stack.blocks)
    if isinstance(model, EnhancedStack) and layer + 1 == depth:
        raise SettingsError(
            "the last layer of this model cannot be skipped: its mask decoder reads with it once more",
            "这个模型的最后一层不能跳过：它的掩码解码器还要再用一次",
        )
    watches = [stack.watch, *([stack.query_watch] if isinstance(stack, TwoStreams) else [])]
    with looking({watch: partial(_passed_on, _Skip(layer, depth, stack.norm)) for watch in watches}):
        yield


@dataclass(frozen=True)
class _Runs:
    """Which layer an attention works in: its place among so many blocks, the row of which runs ``times`` over."""

    place: int
    blocks: int
    times: int
    calls: "count[int]" = field(default_factory=count)

    def next(self) -> int:
        return (next(self.calls) % self.times) * self.blocks + self.place


@dataclass(frozen=True)
class _Skip:
    layer: int
    depth: int
    norm: nn.Module
    calls: "count[int]" = field(default_factory=count)
    read: list[Tensor] = field(default_factory=list)


def _passed_on(skip: _Skip, x: Tensor) -> Tensor | None:
    at = next(skip.calls) % (skip.depth + 1)  # the embedding, then every block
    if at == skip.layer:
        skip.read[:] = [x]
    if at != skip.layer + 1:
        return None
    before: Tensor = skip.norm(skip.read[0]) if at == skip.depth else skip.read[0]
    return before


def _weighed(change: Change, runs: _Runs, prefix: int, weights: Tensor) -> Tensor | None:
    """The map (B, H, T, P + S) as it is changed in this layer."""
    layer = runs.next()
    if change.layer not in (None, layer):
        return None
    heads = slice(None) if change.head is None else slice(change.head, change.head + 1)
    weights = weights.clone()
    if change.edge is None:
        weights[:, heads] *= change.factor
        return weights
    t, s = change.edge
    if t >= weights.shape[2] or prefix + s >= weights.shape[3]:
        return None
    row = weights[:, heads, t].clone()  # (B, h, P + S)
    row[..., prefix + s] = 0
    if not (row.sum(-1) > 0).all():
        raise SettingsError("this token has no other token to look at", "这个词元没有别的词元可看")
    weights[:, heads, t] = row / row.sum(-1, keepdim=True)
    return weights


def _prefix(part: Attending) -> int:
    own = part.prefix if isinstance(part, Attention) else None
    return own.keys.shape[1] if own else 0
