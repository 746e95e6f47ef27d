"""Longformer: RoBERTa whose tokens look at those near them alone, but for the first token of a text that is judged.

In pretraining nothing is global (section 5 of the paper). Where there is a head for labels, the first token looks at
all and all look at it, with projections of its own; fine-tuning starts them from those of the window. transformers'
files hold these projections in pretrained models, too, where nothing reads them: written as copies, read not at all.
The paper's windows are of one size in all pretrained layers, and not dilated.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import FirstToken, SequenceHead, TransformHead
from lab.layers.init import initialise
from lab.layers.positions import Counted
from lab.layers.stacks import OneStack, Stack
from lab.layers.window import GlobalFirst, WindowAttention
from lab.published import UNLIMITED, Published
from lab.settings import SettingsError, knob


@dataclass(frozen=True, kw_only=True)
class LongformerShape(ShapeSettings):
    """The sizes of a Longformer."""

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
    window: int = knob(
        32, "Window size: half of it to either side", "窗口大小：左右两侧各一半", low=2, high=8192, step=2
    )
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)
    eps: float = knob(1e-5, "Epsilon of LayerNorm", "LayerNorm 的 epsilon", low=0.0, high=0.1)
    segments: int = knob(1, "Segments that a text may have", "文本可有的句段数", low=1, high=1024)
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")
    pad: int = knob(
        0,
        "Id of the padding token, 1 in published checkpoints",
        "填充词元的编号，已发布的检查点中为 1",
        low=0,
        high=1_000_000,
    )

    def check(self) -> None:
        check_heads(self.width, self.heads)
        if self.window % 2:
            raise SettingsError(
                f"window {self.window} is odd: half of it lies to either side",
                f"窗口大小 {self.window} 应为偶数：左右两侧各一半",
            )


@MODELS.add(
    "longformer",
    title="Longformer",
    zh=("Longformer", "用滑动窗口注意力阅读长文本的 RoBERTa；分类时首个词元使用全局注意力。"),
    paper="Beltagy et al. 2020, section 3.1",
    settings=LongformerShape,
    traits={"visible", "pools", "states"},
    order=11.5,
    year=2020,
    parent="roberta",
    paradigm="encoder",
    objective="mlm",
    pair=None,
    pooler=True,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    learning_rate=4e-3,
    published=Published(
        source="Beltagy et al. 2020, section 5 (all else as RoBERTa: Liu et al. 2019, appendix, table 9)",
        learning_rate=3e-5,
        warmup=500 / 65_000,
        beta1=0.9,
        beta2=0.98,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=UNLIMITED,
        init_std=0.02,
        beside=(
            "goes on from RoBERTa's weights, its positions copied eight times: 64 texts of 4,096 tokens a step, 65k "
            "steps, window 512, dropout 0.1; the rate falls as the cube of what is left of the steps, which the lab "
            "has not",
            "从 RoBERTa 的权重继续训练，位置嵌入复制八份：每步 64 段，每段 4096 词元，共 6.5 万步，窗口 512，丢弃率 "
            "0.1；学习率按剩余步数的三次方下降，本实验室没有这种调度",
        ),
    ),
)
def longformer(s: LongformerShape, vocabulary: int, classes: int = 0) -> OneStack:
    """RoBERTa with sliding-window attention for long texts, and global attention of the first token in a classifier."""
    reach = s.window // 2 + 1  # the token itself and half a window

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    # The one change to RoBERTa. A full map of n tokens has n * n cells, a window of w has n * w: twice the text costs
    # twice as much, not four times. What lies farther away arrives over several blocks.
    def attention() -> WindowAttention:
        # A classifier reads the first token, which with a window would know its neighbours alone: it looks at all, and
        # all look at it.
        kind = GlobalFirst if classes else WindowAttention
        return kind(s.width, s.heads, window=reach, dropout=s.dropout)

    def block() -> Block:
        return Block(
            attention(),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Counted(s.context, s.width, s.pad),
        segments=nn.Embedding(s.segments, s.width),
        norm=norm(s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)])
    head = TransformHead(nn.Linear(s.width, s.width), gelu, norm(s.width), vocabulary, tied=s.tied)
    pooler = FirstToken(s.width, dropout=s.dropout)
    label = SequenceHead(pooler, nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return initialise(OneStack(stack, head, label), s.width)
