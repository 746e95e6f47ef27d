"""Probes: looking into a model while it reads, attention maps and hidden states, layer by layer.

B batch   T tokens that look   S tokens looked at   W width   H heads
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from torch import Tensor, nn

from lab.layers.attention import Attending, Attention, CrossAttention
from lab.layers.bilm import TwoReadings
from lab.layers.discriminator import Discriminator
from lab.layers.recurrent import Recurrence
from lab.layers.stacks import OneStack, Stack, TwoStacks
from lab.layers.two_streams import TwoStreams
from lab.layers.watch import Look, Watch, looking
from lab.settings import SettingsError


@dataclass
class Seen:
    """What was seen, in the order of computation: a block that runs twelve times is seen twelve times."""

    maps: list[Tensor] = field(default_factory=list)  # each (B, H, T, S)
    kinds: list[str] = field(default_factory=list)  # of each map: "encoder", "decoder", "cross", "" in a single stack
    hidden: list[Tensor] = field(default_factory=list)  # each (B, T, W): the embedding, then after every block
    asking: bool = False  # whether it is the turn of a query stream, whose maps are of the kind "query"


def attends(model: nn.Module) -> bool:
    """Whether the model has attention maps to look at."""
    return any(isinstance(part, Attending) for part in model.modules())


@contextmanager
def watching(model: nn.Module) -> Iterator[Seen]:
    """Inside the ``with``, every forward pass of this thread leaves its maps and hidden states in the given Seen."""
    seen = Seen()
    looks: dict[Watch, Look] = {}

    def mapped(kind: str, prefix: int, value: Tensor) -> None:
        seen.maps.append(value.detach()[..., prefix:])  # what goes to a learned prefix goes to no token
        seen.kinds.append("query" if seen.asking else kind)

    def passed(value: Tensor) -> None:
        seen.hidden.append(value.detach())
        seen.asking = False

    def asks(value: Tensor) -> None:
        seen.asking = True

    for path, part in model.named_modules():
        if isinstance(part, Attending):
            own = part.prefix if isinstance(part, Attention) else None
            looks[part.watch] = partial(mapped, kind_of(path, part), own.keys.shape[1] if own else 0)
        elif isinstance(part, Stack | Recurrence | TwoReadings):
            looks[part.watch] = passed
        if isinstance(part, TwoStreams):
            looks[part.query_watch] = asks
    with looking(looks):
        yield seen


def kind_of(path: str, part: Attending) -> str:
    """Which of the maps of a model an attention draws: those of a single stack need no name."""
    stack = path.partition(".")[0]
    return "cross" if isinstance(part, CrossAttention) else stack if stack in ("encoder", "decoder") else ""


def stack_of(model: nn.Module, kind: str) -> Stack:
    """The stack in which maps of this kind are drawn. Raises SettingsError where the model has none."""
    stack = _stacks(model).get(kind)
    if stack is None:
        raise SettingsError(
            f"this model has no layers of the kind {kind!r}, and no maps of them",
            f"这个模型没有 {kind!r} 这种层，也没有它的注意力图",
        )
    return stack


def _stacks(model: nn.Module) -> dict[str, Stack]:
    """The stacks of a model, by the kinds of maps that are drawn in them."""
    if isinstance(model, TwoStacks):
        return {"encoder": model.encoder, "decoder": model.decoder, "cross": model.decoder}
    if isinstance(model, OneStack | Discriminator) and isinstance(model.stack, Stack):
        return {"": model.stack}
    return {}
