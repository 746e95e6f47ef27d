"""GLM: GPT-2's blocks over a text that all tokens see, behind which its blanks are written from left to right.

The authors train with the tanh approximation of gelu, as this file computes it; the code beside their released weights
takes gelu as defined. Who sees whom comes with the exercise, and so do the two positions of a token.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu_tanh
from lab.layers.heads import LastToken, SequenceHead, TiedHead
from lab.layers.init import initialise
from lab.layers.positions import TwoFold
from lab.layers.stacks import OneStack, Stack
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class GlmShape(ShapeSettings):
    """The sizes of a GLM."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(4, "Layers", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    feed: int | None = knob(
        None,
        "Feed-forward width, 4 times the hidden size if left out",
        "前馈层宽度，缺省为隐藏维度的 4 倍",
        low=4,
        high=65536,
    )
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "glm",
    title="GLM",
    zh=("GLM", "自回归空白填充：双向阅读文本，再在其后逐个词元写出去掉的片段。"),
    paper="Du et al. 2021, section 2.2",
    settings=GlmShape,
    traits={"visible", "positions", "pools", "states"},
    order=46,
    year=2021,
    parent="gpt",
    paradigm="prefix-decoder",
    objective="blank_infilling",
    pair=None,
    tokenizer="byte_bpe",
    reads=("wordpiece", "byte_bpe"),
    learning_rate=5e-3,
    published=Published(
        source="THUDM/GLM, config/ds_block_10B.sh and config/config_block_10B.json",
        learning_rate=1e-4,
        warmup=0.04 * 175_000 / 250_000,
        schedule="cosine",
        floor=0.1,
        beta1=0.9,
        beta2=0.95,
        epsilon=1e-8,
        weight_decay=0.1,
        clip=1.0,
        init_std=0.02,
        beside=(
            "250k steps of which the rate changes for 175k, and 4% of those warm up; dropout 0.1: as the 10B one "
            "in the authors' code (base: rate 4e-4, beta2 0.98, epsilon 1e-6)",
            "按作者代码中的 10B：共 25 万步，学习率在前 17.5 万步内变化，其中 4% 为预热，丢弃率 0.1（base 的学习"
            "率为 4e-4，beta2 为 0.98，epsilon 为 1e-6）",
        ),
    ),
)
def glm(s: GlmShape, vocabulary: int, classes: int = 0) -> OneStack:
    """Autoregressive blank infilling: the text is read bidirectionally, the removed spans are written behind it."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=1e-5)

    def block() -> Block:
        # GPT-2's block. What makes it GLM is who looks at whom and the two positions, and both come with the exercise.
        return Block(
            Attention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu_tanh),
            norm(s.width),
            norm="pre",
            dropout=s.dropout,
        )

    # Two positions: all tokens of a blank stand where it stands in the text, and count from 1 inside it. How long a
    # blank is cannot be read off the positions of what follows.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        TwoFold(s.context, s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)], norm=norm(s.width))
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    # As in GPT-2, the branches start smaller the more of them are added up.
    return initialise(OneStack(stack, TiedHead(), label), s.width, residual=(2 * s.depth) ** -0.5)
