"""DeBERTa, version 2: far distances share buckets, distances are projected as tokens are, and a convolution joins in.

The paper's version of 2021 has it as a model of 1.5B parameters. The README of the code, which came in February 2021,
says what is new: these three, and a SentencePiece vocabulary of 128K. transformers has no mask decoder; see version 1.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.convolution import Convolution, ConvolvedBlock
from lab.layers.disentangled import Distances, SharedPlaces
from lab.layers.embeddings import Embedding
from lab.layers.enhanced import EnhancedStack
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import FirstToken, SequenceHead, TransformHead
from lab.layers.init import initialise
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class DebertaV2Shape(ShapeSettings):
    """The sizes of a DeBERTa of version 2."""

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
    eps: float = knob(1e-7, "Epsilon of LayerNorm", "LayerNorm 的 epsilon", low=0.0, high=0.1)
    buckets: int = knob(256, "Buckets of distances on either side", "单侧的距离桶数", low=8, high=8192, step=2)
    plain: bool = knob(False, "Without the mask decoder", "不用掩码解码器")

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "deberta_v2",
    title="DeBERTa v2",
    zh=("DeBERTa v2", "远距离合并成桶、与词元共用投影、第一层旁加一个卷积的 DeBERTa。"),
    paper="He et al. 2020, version of 2021; microsoft/DeBERTa README, what is new in v2",
    settings=DebertaV2Shape,
    traits={"visible", "pools", "states"},
    order=17,
    year=2021,
    parent="deberta_v1",
    paradigm="encoder",
    objective="mlm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("unigram",),
    learning_rate=4e-3,
    published=Published(
        source="He et al. 2020, table 8, column 1.5B; microsoft/DeBERTa, experiments/language_model (first weights)",
        learning_rate=1.5e-4,
        warmup=10_000 / 1_000_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "2,048 texts of 512 tokens a step, 1M steps, dropout 0.1, as the 1.5B one; the released command has "
            "32 texts and rate 1e-4",
            "按 1.5B：每步 2048 段，每段 512 词元，共 100 万步，丢弃率 0.1；发布的命令为每步 32 段、学习率 1e-4",
        ),
    ),
)
def deberta_v2(s: DebertaV2Shape, vocabulary: int, classes: int = 0) -> OneStack:
    """DeBERTa with buckets of far distances, shared projections, and a convolution beside the first block."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    # Far distances share logarithmic buckets, so that a long context needs no longer table.
    distances = Distances(s.context, s.width, buckets=s.buckets, norm=norm(s.width), dropout=s.dropout)

    def parts() -> tuple[SharedPlaces, nn.LayerNorm, MLP, nn.LayerNorm]:
        return (
            # Distances take the projections of the tokens: a third of the attention's parameters less than in version
            # 1.
            SharedPlaces(s.width, s.heads, distances, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu),
            norm(s.width),
        )

    # Neighbouring pieces of a word are joined early, beside the first block only.
    conv = Convolution(s.width, 3, gelu, dropout=s.dropout)
    first = ConvolvedBlock(*parts(), conv, norm(s.width), dropout=s.dropout)

    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        norm=norm(s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [first, *(Block(*parts(), norm="post", dropout=s.dropout) for _ in range(s.depth - 1))])
    head = TransformHead(nn.Linear(s.width, s.width), gelu, norm(s.width), vocabulary)
    pooler = FirstToken(s.width, gelu, dropout=s.dropout)
    label = SequenceHead(pooler, nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    # As in version 1, absolute positions join in the mask decoder, which published models come without.
    if s.plain:
        return initialise(OneStack(stack, head, label), s.width)
    return initialise(EnhancedStack(stack, head, label, late=Learned(s.context, s.width)), s.width)
