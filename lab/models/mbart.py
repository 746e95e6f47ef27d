"""mBART: BART in many languages, with norms where GPT-2 has them.

What a part reads is normalised and not what comes out; each stack ends in a norm, and token vectors are multiplied by
the root of the width. The language of a text is a token behind it, and the one that the decoder starts from.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, CrossAttention, check_heads
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.embeddings import Embedding, Scaled
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import BiasedHead, LastToken, SequenceHead
from lab.layers.init import initialise
from lab.layers.positions import Behind
from lab.layers.stacks import Stack, TwoStacks
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class MbartShape(ShapeSettings):
    """The sizes of an mBART."""

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
    "mbart",
    title="mBART",
    zh=("mBART", "多语言的 BART：前置归一化，用语言词元标明语言。"),
    paper="Liu et al. 2020, section 2",
    settings=MbartShape,
    traits={"writes", "pools", "states"},
    order=53,
    year=2020,
    parent="bart",
    paradigm="encoder-decoder",
    objective="multilingual_denoising",
    pair=None,
    tokenizer="byte_bpe",
    reads=("unigram",),
    learning_rate=1e-2,
    published=Published(
        source="Liu et al. 2020, section 2.2; fairseq, fairseq/models/bart/model.py (first weights)",
        learning_rate=None,
        warmup=None,
        schedule="linear",
        beta2=0.98,
        epsilon=1e-6,
        init_std=0.02,
        beside=(
            "about 128k tokens a step on each of 256 GPUs, 500k steps, dropout 0.1, from 250k on 0.05, from 400k "
            "on none; the paper gives neither rate, warm-up, decay nor clipping: the lab's stay",
            "256 块 GPU 每步各约 12.8 万词元，共 50 万步，丢弃率 0.1，25 万步起 0.05，40 万步起不用；论文没有给出"
            "学习率、预热、权重衰减与裁剪，沿用本实验室的",
        ),
    ),
)
def mbart(s: MbartShape, vocabulary: int, classes: int = 0) -> TwoStacks:
    """Multilingual BART with pre-norm, and a language token that says which language it is."""

    def norm() -> nn.LayerNorm:
        return nn.LayerNorm(s.width, eps=1e-5)

    def attention() -> Attention:
        return Attention(s.width, s.heads)

    def cross() -> CrossAttention:
        return CrossAttention(s.width, s.heads)

    def feed() -> MLP:
        return MLP(s.width, s.feed or 4 * s.width, gelu)

    # The one change to the blocks: pre-norm.
    def reads() -> Block:
        return Block(attention(), norm(), feed(), norm(), norm="pre", dropout=s.dropout)

    def writes() -> DecoderBlock:
        return DecoderBlock(attention(), norm(), cross(), norm(), feed(), norm(), norm="pre", dropout=s.dropout)

    def embed() -> Embedding:
        return Embedding(tokens, Behind(s.context, s.width), norm=norm(), dropout=s.dropout)

    # Vectors are multiplied by the root of the width, so that the positions that are added do not drown them.
    tokens = Scaled(vocabulary, s.width)
    # With pre-norm a stack must end in a norm of its own; the authors found that it makes training in half precision
    # stable.
    encoder = Stack(embed(), [reads() for _ in range(s.depth)], norm=norm())
    decoder = Stack(embed(), [writes() for _ in range(s.decoder_depth or s.depth)], norm=norm())
    head = BiasedHead(s.width, vocabulary, tied=s.tied)
    label = SequenceHead(LastToken(s.width), nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return initialise(TwoStacks(encoder, decoder, head, label), s.width)
