"""T5 version 1.1: T5 with a gated feed-forward network and an output layer that is not tied to the embeddings.

It was trained on gaps alone and without dropout. A class of transformers that is built from a configuration ties the
two tables all the same; the published files hold both, and then so does the class.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, CrossAttention, check_heads
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import GatedMLP, gelu_tanh
from lab.layers.heads import OwnHead, TiedHead
from lab.layers.init import initialise_seeking, initialise_unscaled
from lab.layers.positions import Buckets
from lab.layers.stacks import Stack, TwoStacks
from lab.published import UNLIMITED, Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class T5v11Shape(ShapeSettings):
    """The sizes of a T5 version 1.1."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(2, "Blocks of the encoder", "编码器的层数", low=1, high=128)
    decoder_depth: int | None = knob(
        None, "Blocks of the decoder, the encoder's number if left out", "解码器的层数，缺省同编码器", low=1, high=128
    )
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    head_width: int | None = knob(
        None, "Width of a head, the heads' share if left out", "每个头的宽度，缺省为均分", low=1, high=1024
    )
    feed: int | None = knob(
        None,
        "Feed-forward width, 4 times the hidden size if left out",
        "前馈层宽度，缺省为隐藏维度的 4 倍",
        low=4,
        high=65536,
    )
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)
    eps: float = knob(1e-6, "Epsilon of RMSNorm", "RMSNorm 的 epsilon", low=0.0, high=0.1)
    tied: bool = knob(False, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        if self.head_width is None:
            check_heads(self.width, self.heads)


@MODELS.add(
    "t5_v11",
    title="T5 v1.1",
    zh=("T5 v1.1", "门控前馈网络、输出层不与嵌入共享的 T5。"),
    paper="Shazeer 2020, section 2",
    settings=T5v11Shape,
    traits={"writes"},
    order=51,
    year=2020,
    parent="t5",
    paradigm="encoder-decoder",
    objective="span_corruption",
    pair=None,
    tokenizer="byte_bpe",
    reads=("unigram",),
    learning_rate=2e-3,  # as T5
    authors_start=initialise_unscaled,
    published=Published(
        source="Shazeer 2020, section 3.2; google-research/text-to-text-transfer-transformer, t5.1.1.base.gin",
        optimizer="adafactor",
        learning_rate=0.01,
        warmup=10_000 / 2**19,
        schedule="inverse_sqrt",
        weight_decay=0.0,
        clip=UNLIMITED,
        init_std=1.0,
        beside=(
            "128 texts of 512 tokens a step, 2^19 steps, no dropout; over the last tenth the rate also falls "
            "evenly to zero, which the lab does not do; the deviation is that of token vectors, and maps have it "
            "divided by the root of their width",
            "每步 128 段，每段 512 词元，共 2^19 步，不用丢弃；最后十分之一的步数内学习率还线性降到零，本实验室不这"
            "样做；标准差指词元向量的，线性映射的还要除以其输入宽度的平方根",
        ),
    ),
)
def t5_v11(s: T5v11Shape, vocabulary: int, classes: int = 0) -> TwoStacks:
    """T5 with a gated feed-forward network and an output layer that is not tied to the embeddings."""

    def norm() -> nn.RMSNorm:
        return nn.RMSNorm(s.width, eps=s.eps)

    def attention() -> Attention:
        return Attention(s.width, s.heads, head_width=s.head_width, bias=False, scale=1.0, dropout=s.dropout)

    def cross() -> CrossAttention:
        return CrossAttention(s.width, s.heads, head_width=s.head_width, bias=False, scale=1.0, dropout=s.dropout)

    def feed() -> GatedMLP:
        # The first change: gated, with gelu for relu. It costs a third matrix, which the paper pays for by a narrower
        # layer.
        return GatedMLP(s.width, s.feed or 4 * s.width, gelu_tanh, dropout=s.dropout)

    def reads() -> Block:
        return Block(attention(), norm(), feed(), norm(), norm="pre", dropout=s.dropout)

    def writes() -> DecoderBlock:
        return DecoderBlock(attention(), norm(), cross(), norm(), feed(), norm(), norm="pre", dropout=s.dropout)

    # One table for both sides, as in T5.
    tokens = nn.Embedding(vocabulary, s.width)
    # Biases by distance, learnt once for all blocks, as in T5.
    encoder = Stack(
        Embedding(tokens, dropout=s.dropout),
        [reads() for _ in range(s.depth)],
        distances=Buckets(s.heads, both=True),
        norm=norm(),
        dropout=s.dropout,
    )
    decoder = Stack(
        Embedding(tokens, dropout=s.dropout),
        [writes() for _ in range(s.decoder_depth or s.depth)],
        distances=Buckets(s.heads, both=False),
        norm=norm(),
        dropout=s.dropout,
    )
    # The second change: the output has a table of its own (tied is off).
    head = TiedHead(scale=s.width**-0.5) if s.tied else OwnHead(s.width, vocabulary)
    return initialise_seeking(TwoStacks(encoder, decoder, head), s.width, tied=s.tied)
