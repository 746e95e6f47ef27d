"""T5: an encoder that reads a text with gaps, and a decoder that writes what is missing.

Positions enter as distances alone: each head learns a number for each distance, which is added to its scores. Linear
maps have no biases, and scores are not divided by the root of a head's width: the authors' first weights make up for
it.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, CrossAttention, check_heads
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, relu
from lab.layers.heads import OwnHead, TiedHead
from lab.layers.init import initialise_seeking, initialise_unscaled
from lab.layers.positions import Buckets
from lab.layers.stacks import Stack, TwoStacks
from lab.published import UNLIMITED, Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class T5Shape(ShapeSettings):
    """The sizes of a T5."""

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
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        if self.head_width is None:
            check_heads(self.width, self.heads)


@MODELS.add(
    "t5",
    title="T5",
    zh=("T5", "用片段损坏预训练的编码器–解码器：解码器写出缺少的片段。"),
    paper="Raffel et al. 2019, section 2.1",
    settings=T5Shape,
    traits={"writes"},
    order=50,
    year=2019,
    parent="transformer",
    paradigm="encoder-decoder",
    objective="span_corruption",
    pair=None,
    tokenizer="byte_bpe",
    reads=("unigram",),
    learning_rate=2e-3,  # scores that nothing divides grow too sharp at 0.01, where other models still learn
    authors_start=initialise_unscaled,
    published=Published(
        source="Raffel et al. 2019, section 3.1.2; tensorflow/mesh, transformer/learning_rate_schedules.py",
        optimizer="adafactor",
        learning_rate=0.01,
        warmup=10_000 / 2**19,
        schedule="inverse_sqrt",
        weight_decay=0.0,
        clip=UNLIMITED,
        init_std=1.0,
        beside=(
            "128 texts of 512 tokens a step, 2^19 steps, dropout 0.1: the paper's baseline; the deviation is that of "
            "token vectors, and maps have it divided by the root of their width",
            "按论文的基线：每步 128 段，每段 512 词元，共 2^19 步，丢弃率 0.1；标准差指词元向量的，线性映射的还要除以"
            "其输入宽度的平方根",
        ),
    ),
)
def t5(s: T5Shape, vocabulary: int, classes: int = 0) -> TwoStacks:
    """Encoder–decoder pretrained by span corruption: the decoder writes the spans that are missing."""

    # A norm that only scales: no mean is subtracted, and nothing is added.
    def norm() -> nn.RMSNorm:
        return nn.RMSNorm(s.width, eps=s.eps)

    def attention() -> Attention:
        # No division by the root of the head width (scale 1): the authors' first queries are smaller instead.
        return Attention(s.width, s.heads, head_width=s.head_width, bias=False, scale=1.0, dropout=s.dropout)

    def cross() -> CrossAttention:
        return CrossAttention(s.width, s.heads, head_width=s.head_width, bias=False, scale=1.0, dropout=s.dropout)

    def feed() -> MLP:
        return MLP(s.width, s.feed or 4 * s.width, relu, bias=False, dropout=s.dropout)

    def reads() -> Block:
        return Block(attention(), norm(), feed(), norm(), norm="pre", dropout=s.dropout)

    def writes() -> DecoderBlock:
        return DecoderBlock(attention(), norm(), cross(), norm(), feed(), norm(), norm="pre", dropout=s.dropout)

    # One table for both sides and the output. No position is ever added to it.
    tokens = nn.Embedding(vocabulary, s.width)
    # Where tokens stand is a number added to their scores, one for each bucket of distances and head, learnt once for
    # all blocks. The encoder tells left from right; the decoder never looks to the right.
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
    # A tied head is scaled down: the authors' vectors start with a deviation of 1, and logits would be larger by the
    # root of the width.
    head = TiedHead(scale=s.width**-0.5) if s.tied else OwnHead(s.width, vocabulary)
    return initialise_seeking(TwoStacks(encoder, decoder, head), s.width, tied=s.tied)
