"""GLM: GPT-2's blocks over a text that all tokens see, behind which its blanks are written from left to right.

The authors train with the tanh approximation of gelu, as this file computes it; the code beside their released weights
takes gelu as defined. Who sees whom comes with the exercise, and so do the two positions of a token.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu_tanh
from lab.layers.heads import LastToken, SequenceHead, TiedHead
from lab.layers.kinds import KINDS, attention_of
from lab.layers.positions import TwoFold
from lab.layers.stacks import OneStack, Stack
from lab.layers.start import start
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class GlmShape(ShapeSettings):
    """The sizes of a GLM."""

    width: int = knob(128, "Width of a token's vector", "词元向量的宽度", low=4, high=16384)
    depth: int = knob(4, "Number of blocks", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    feed: int | None = knob(
        None, "Feed-forward width, 4 times the width if left out", "前馈层宽度，缺省为宽度的 4 倍", low=4, high=65536
    )
    context: int = knob(128, "Longest text in tokens", "最长文本的词元数", low=8, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)
    attention: str = knob("full", "Kind of attention", "注意力的种类", choices=KINDS)
    window: int = knob(32, "How far a window reaches, in tokens", "窗口可及的词元数", low=1, high=8192)

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "glm",
    title="GLM",
    zh=("GLM", "前文双向可见、空白处自回归写出的 GPT，位置有两重。"),
    paper="Du et al. 2021, section 2.2",
    settings=GlmShape,
    traits={"visible", "places", "pools"},
    order=46,
    year=2021,
    parent="gpt",
    paradigm="decoder",
    objective="blank_infilling",
    pair=None,
    tokenizer="byte_bpe",
    reads=("wordpiece", "byte_bpe"),
    rate=3e-3,
    published=Published(
        rate=1e-4,
        warmup=0.04,
        schedule="cosine",
        floor=0.1,
        beta2=0.95,
        epsilon=1e-8,
        decay=0.1,
        beside=(
            "250k steps of which the rate falls for 175k, dropout 0.1: as the 10B one in the authors' code",
            "共 25 万步，其中 17.5 万步内学习率下降，丢弃率 0.1：按作者代码中的 10B",
        ),
    ),
)
def glm(s: GlmShape, vocabulary: int, classes: int = 0) -> OneStack:
    """All see a text with blanks, and what is missing is written behind it from left to right."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=1e-5)

    def block() -> Block:
        return Block(
            attention_of(s.attention, s.width, s.heads, window=s.window, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu_tanh),
            norm(s.width),
            norm="first",
            dropout=s.dropout,
        )

    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        TwoFold(s.context, s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)], norm=norm(s.width))
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return start(OneStack(stack, TiedHead(), label), s.width, residual=(2 * s.depth) ** -0.5)
