"""GPT-1: the decoder of the Transformer without its encoder, trained to say what comes next.

Blocks normalise their sums, as those of Vaswani et al. 2017; no norm stands behind the embedding or at the end. What
transformers calls "gelu" in this family is the tanh approximation, and so it is here.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu_tanh
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.kinds import KINDS, attention_of
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.layers.start import start
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Gpt1Shape(ShapeSettings):
    """The sizes of a GPT-1."""

    width: int = knob(128, "Width of a token's vector", "词元向量的宽度", low=4, high=16384)
    depth: int = knob(4, "Number of blocks", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    feed: int | None = knob(
        None, "Feed-forward width, 4 times the width if left out", "前馈层宽度，缺省为宽度的 4 倍", low=4, high=65536
    )
    context: int = knob(128, "Longest text in tokens", "最长文本的词元数", low=8, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)
    eps: float = knob(1e-5, "Epsilon of LayerNorm", "LayerNorm 的 epsilon", low=0.0, high=0.1)
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")
    attention: str = knob("full", "Kind of attention", "注意力的种类", choices=KINDS)
    window: int = knob(32, "How far a window reaches, in tokens", "窗口可及的词元数", low=1, high=8192)

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "gpt1",
    title="GPT-1",
    zh=("GPT-1", "只用 Transformer 的解码器，从左到右预测下一个词元。"),
    paper="Radford et al. 2018, section 4.1",
    settings=Gpt1Shape,
    traits={"visible", "pools"},
    order=40,
    year=2018,
    parent="transformer",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("char_bpe",),
    rate=3e-3,
    published=Published(
        rate=2.5e-4,
        warmup=2_000 / 1_300_000,
        schedule="cosine",
        epsilon=1e-8,
        beside=(
            "64 texts of 512 tokens a step, 100 epochs, dropout 0.1",
            "每步 64 段，每段 512 词元，共 100 轮，丢弃率 0.1",
        ),
    ),
)
def gpt1(s: Gpt1Shape, vocabulary: int, classes: int = 0) -> OneStack:
    """The Transformer's decoder alone, which learns to say which token comes next."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block() -> Block:
        return Block(
            attention_of(s.attention, s.width, s.heads, window=s.window, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu_tanh),
            norm(s.width),
            norm="last",
            dropout=s.dropout,
        )

    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Learned(s.context, s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)])
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return start(OneStack(stack, head, label), s.width)
