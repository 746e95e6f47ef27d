"""What passes through one layer while a model reads a text: the hidden states on either side, and what attention meets.

B batch: 1   T tokens that look   S tokens looked at   W width   H heads   G heads of keys and values   K head width
P learned prefix
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lab.batch import Batch
from lab.inference.probe import stack_of
from lab.layers.attention import Attending
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.masks import AttentionMask
from lab.layers.stacks import Stack
from lab.layers.watch import Look, Watch, looking
from lab.layers.window import GlobalFirst
from lab.settings import SettingsError

Meeting = tuple[Tensor, Tensor, Tensor, AttentionMask]  # queries, keys, values, and who may look at whom


@dataclass(frozen=True, kw_only=True)
class Passed:
    """One layer's numbers, of one of the kinds of maps."""

    kind: str
    block: Block | DecoderBlock
    end: nn.Module  # what follows the block before the hidden states are seen: the stack's last norm, or nothing
    before: Tensor  # (T, W)
    after: Tensor  # (T, W)
    source: Tensor | None  # (S, W): what an encoder made of its text, where a decoder reads it
    own: Meeting  # of a block's attention to itself
    cross: Meeting | None  # of a decoder's attention to its source
    weights: Tensor  # (1, H, T, P + S): the maps of this kind

    @property
    def part(self) -> Attending:
        """The attention that draws this kind of maps."""
        part = (
            self.block.cross if isinstance(self.block, DecoderBlock) and self.kind == "cross" else self.block.attention
        )
        assert isinstance(part, Attending)
        return part

    @property
    def met(self) -> Meeting:
        """What meets in it: (1, H, T, K), (1, G, P + S, K) twice, and the mask."""
        met = self.cross if self.kind == "cross" else self.own
        assert met is not None
        return met

    @property
    def heads(self) -> int:
        """H."""
        return self.met[0].shape[1]

    @property
    def sides(self) -> tuple[int, int]:
        """Who looks and who is looked at: 0 for what is read, 1 for what is written."""
        return {"decoder": (1, 1), "cross": (1, 0)}.get(self.kind, (0, 0))


def passed(model: nn.Module, batch: Batch, kind: str, layer: int) -> Passed:
    """What passes through a ``layer``, counted from 0. Raises SettingsError where there is none."""
    if kind == "query":
        raise SettingsError(
            "the query stream takes the same steps with the same weights: choose a map of the content stream",
            "查询流用同样的权重走同样的步骤：请选择内容流的注意力图",
        )
    stack = stack_of(model, kind)
    depth = stack.times * len(stack.blocks)
    if not 0 <= layer < depth:
        raise SettingsError(f"there are {depth} layers: choose one of them", f"共有 {depth} 层：请从中选一层")
    run, place = divmod(layer, len(stack.blocks))
    block = stack.blocks[place]
    assert isinstance(block, Block | DecoderBlock)
    if isinstance(block.attention, GlobalFirst):
        raise SettingsError(
            "the first token of this model looks with projections of its own: its heads have two sets of steps",
            "这个模型的首个词元用自己的一套投影：每个头有两套步骤，无法逐步展示",
        )
    hidden: list[Tensor] = []
    source: list[Tensor] = []
    own: list[Meeting] = []
    cross: list[Meeting] = []
    weights: list[Tensor] = []
    looks: dict[Watch, Look] = {stack.watch: hidden.append, block.attention.met: own.append}
    if isinstance(block, DecoderBlock):
        encoder = model.encoder
        assert isinstance(encoder, Stack)
        looks |= {encoder.watch: source.append, block.cross.met: cross.append}
    drawn = block.cross if isinstance(block, DecoderBlock) and kind == "cross" else block.attention
    with torch.no_grad(), looking(looks), looking({drawn.watch: weights.append}):
        model(batch)
    return Passed(
        kind=kind,
        block=block,
        end=stack.norm if layer + 1 == depth else nn.Identity(),
        before=hidden[layer][0],
        after=hidden[layer + 1][0],
        source=source[-1][0] if source else None,
        own=own[run],
        cross=cross[run] if cross else None,
        weights=weights[run],
    )
