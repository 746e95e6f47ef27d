"""GLM-4 (0414): ChatGLM with a second norm behind attention and behind the feed-forward network.

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
from lab.layers.init import initialise
from lab.layers.rotary import slowed, speeds
from lab.layers.stacks import OneStack, Stack
from lab.models.chatglm import ChatGlmShape
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Glm4Shape(ChatGlmShape):
    """The sizes of a GLM-4: those of a ChatGLM."""

    bias: bool = knob(False, "Biases of queries, keys and values", "查询、键与值的偏置")


@MODELS.add(
    "glm4",
    title="GLM-4-0414",
    zh=("GLM-4-0414", "注意力与前馈网络之后再归一化一次的 ChatGLM。"),
    paper="GLM-4-0414 (2025), as published",
    settings=Glm4Shape,
    traits={"visible", "pools", "states"},
    order=45,
    year=2025,
    parent="chatglm",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    learning_rate=1e-2,
)
def glm4(s: Glm4Shape, vocabulary: int, classes: int = 0) -> OneStack:
    """ChatGLM with a second norm behind attention and behind the feed-forward network."""
    # As in ChatGLM, half of each head turns with the position.
    rotary = slowed(speeds(s.turning, s.theta), s.rope_scaling, s.rope_scale, s.original_context, s.theta)

    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def attention() -> Attention:
        return Attention(
            s.width,
            s.heads,
            head_width=s.head_width,
            kv_heads=s.kv_heads,
            bias=s.bias,
            out_bias=False,
            rotary=rotary,
        )

    def block() -> Block:
        return Block(
            attention(),
            norm(s.width),
            GatedMLP(s.width, s.feed or 3 * s.width, silu),
            norm(s.width),
            norm="pre",
            # Sandwich norm: what a part adds is normalised too, so that no block outgrows the sum that it adds to.
            attention_end_norm=norm(s.width),
            feed_end_norm=norm(s.width),
        )

    stack = Stack(Embedding(nn.Embedding(vocabulary, s.width)), [block() for _ in range(s.depth)], norm=norm(s.width))
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return initialise(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
