"""GLM-4 (0414): ChatGLM in which what attention and the feed-forward part add is normalised once more.

The published models of this generation have no biases.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.layers.attention import Attention
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import GatedMLP, silu
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.kinds import attention_of
from lab.layers.rotary import slowed, speeds
from lab.layers.stacks import OneStack, Stack
from lab.layers.start import start
from lab.models.chatglm import ChatGlmShape
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Glm4Shape(ChatGlmShape):
    """The sizes of a GLM-4: those of a ChatGLM."""

    bias: bool = knob(False, "Biases of queries, keys and values", "查询、键与值的偏置")


@MODELS.add(
    "glm4",
    title="GLM-4",
    zh=("GLM-4", "注意力与前馈层的输出再归一化一次的 ChatGLM。"),
    paper="GLM-4-0414 (2025), as published",
    settings=Glm4Shape,
    traits={"visible", "pools"},
    order=45,
    year=2025,
    parent="chatglm",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    rate=3e-3,
)
def glm4(s: Glm4Shape, vocabulary: int, classes: int = 0) -> OneStack:
    """ChatGLM in which what attention and the feed-forward part add is normalised once more."""
    turn = slowed(speeds(s.turning, s.theta), s.slowing, s.stretch, s.stretched_from, s.theta)

    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def attention() -> Attention:
        return attention_of(
            s.attention,
            s.width,
            s.heads,
            window=s.window,
            head_width=s.head_width,
            groups=s.groups,
            bias=s.bias,
            out_bias=False,
            turn=turn,
        )

    def block() -> Block:
        return Block(
            attention(),
            norm(s.width),
            GatedMLP(s.width, s.feed or 3 * s.width, silu),
            norm(s.width),
            norm="first",
            attention_end_norm=norm(s.width),
            feed_end_norm=norm(s.width),
        )

    stack = Stack(Embedding(nn.Embedding(vocabulary, s.width)), [block() for _ in range(s.depth)], norm=norm(s.width))
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return start(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
