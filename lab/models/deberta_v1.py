"""DeBERTa: BERT whose attention scores contents and distances of tokens apart, and knows no other positions.

Only the mask decoder sees absolute positions. transformers has no such decoder and predicts from the last block; so
does this file without it, and the published parameters are counted so.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.disentangled import Distances, OwnPlaces
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
class DebertaV1Shape(ShapeSettings):
    """The sizes of a DeBERTa."""

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
    plain: bool = knob(False, "Without the mask decoder", "不用掩码解码器")

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "deberta_v1",
    title="DeBERTa",
    zh=("DeBERTa", "解耦注意力：内容与相对位置分开计算，到预测时才加入绝对位置。"),
    paper="He et al. 2020, section 3",
    settings=DebertaV1Shape,
    traits={"visible", "pools", "states"},
    order=16,
    year=2020,
    parent="bert",
    paradigm="encoder",
    objective="mlm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    learning_rate=4e-3,
    published=Published(
        source="He et al. 2020, appendix A.3 and table 8; microsoft/DeBERTa, experiments/language_model",
        learning_rate=2e-4,
        warmup=10_000 / 1_000_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "2,048 texts of 512 tokens a step, 1M steps, dropout 0.1, spans of up to three tokens masked, too; "
            "the released command has 256 texts and rate 1e-4",
            "每步 2048 段，每段 512 词元，共 100 万步，丢弃率 0.1，另外遮住不超过三个词元的片段；发布的命令为每步"
            " 256 段、学习率 1e-4",
        ),
    ),
)
def deberta_v1(s: DebertaV1Shape, vocabulary: int, classes: int = 0) -> OneStack:
    """Disentangled attention: content and relative position are scored apart; absolute positions come last."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    # One table of distances for all blocks, each of which projects it for itself.
    distances = Distances(s.context, s.width, dropout=s.dropout)

    def block() -> Block:
        # BERT's block with another attention inside: what a token is and how far away it stands are scored apart.
        return Block(
            OwnPlaces(s.width, s.heads, distances, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    # No positions are added here: in the sum of BERT, what and where could not be told apart any more.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        norm=norm(s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)])
    head = TransformHead(nn.Linear(s.width, s.width), gelu, norm(s.width), vocabulary)
    pooler = FirstToken(s.width, gelu, dropout=s.dropout)
    label = SequenceHead(pooler, nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    # Absolute positions join late, in the mask decoder: "a new store opened beside a new mall" needs them, since store
    # and mall have the same neighbours.
    if s.plain:
        return initialise(OneStack(stack, head, label), s.width)
    return initialise(EnhancedStack(stack, head, label, late=Learned(s.context, s.width)), s.width)
