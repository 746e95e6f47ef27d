"""BART: BERT's encoder and GPT's decoder, which writes the whole text that a damaged one was made from.

Positions start at row 2 of their tables, as fairseq numbered them. A published file may hold a bias for each token,
which is no parameter: it is zero and never learns.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, CrossAttention, check_heads
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import BiasedHead, LastToken, SequenceHead
from lab.layers.init import initialise
from lab.layers.positions import Behind
from lab.layers.stacks import Stack, TwoStacks
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class BartShape(ShapeSettings):
    """The sizes of a BART."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(2, "Blocks of the encoder", "编码器的层数", low=1, high=128)
    decoder_depth: int | None = knob(
        None, "Blocks of the decoder, the encoder's number if left out", "解码器的层数，缺省同编码器", low=1, high=128
    )
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
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "bart",
    title="BART",
    zh=("BART", "去噪的编码器–解码器：编码器读被破坏的文本，解码器写出原文。"),
    paper="Lewis et al. 2019, section 2.1",
    settings=BartShape,
    traits={"writes", "pools", "states"},
    order=52,
    year=2019,
    parent="bert",
    paradigm="encoder-decoder",
    objective="denoising",
    pair=None,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    learning_rate=1e-2,
    published=Published(
        source="Lewis et al. 2019, section 5.1; fairseq, fairseq/models/bart/model.py (first weights, dropout)",
        optimizer=None,
        learning_rate=None,
        warmup=None,
        init_std=0.02,
        beside=(
            "8,000 texts a step, 500k steps, dropout 0.1 but for the last tenth; neither paper nor released code "
            "says with which optimizer, rate and warm-up: the lab's stay",
            "每步 8000 段，共 50 万步，丢弃率 0.1（最后十分之一不用）；优化器、学习率与预热在论文和发布的代码中都"
            "没有给出，沿用本实验室的",
        ),
    ),
)
def bart(s: BartShape, vocabulary: int, classes: int = 0) -> TwoStacks:
    """Denoising encoder–decoder: the encoder reads a corrupted text, the decoder writes the original."""

    def norm() -> nn.LayerNorm:
        return nn.LayerNorm(s.width, eps=1e-5)

    def attention() -> Attention:
        return Attention(s.width, s.heads)

    def cross() -> CrossAttention:
        return CrossAttention(s.width, s.heads)

    def feed() -> MLP:
        return MLP(s.width, s.feed or 4 * s.width, gelu)

    # Post-norm on both sides. The encoder is BERT's, the decoder GPT-1's with a look at the source between its two
    # parts.
    def reads() -> Block:
        return Block(attention(), norm(), feed(), norm(), norm="post", dropout=s.dropout)

    def writes() -> DecoderBlock:
        return DecoderBlock(attention(), norm(), cross(), norm(), feed(), norm(), norm="post", dropout=s.dropout)

    # Encoder and decoder read the same tokens, but have positions of their own.
    def embed() -> Embedding:
        return Embedding(tokens, Behind(s.context, s.width), norm=norm(), dropout=s.dropout)

    # One table for source, target and output.
    tokens = nn.Embedding(vocabulary, s.width)
    encoder = Stack(embed(), [reads() for _ in range(s.depth)])
    decoder = Stack(embed(), [writes() for _ in range(s.decoder_depth or s.depth)])
    head = BiasedHead(s.width, vocabulary, tied=s.tied)
    # To be judged, a text is read by the encoder and again by the decoder, whose last token has seen both.
    label = SequenceHead(LastToken(s.width), nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return initialise(TwoStacks(encoder, decoder, head, label), s.width)
