"""BERT: a stack of blocks in which every token looks at all others, to the left and to the right.

The paper and the first release use gelu as it is defined, later training code its tanh approximation; transformers
computes every published checkpoint as defined, and so does this file.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import FirstToken, SequenceHead, TransformHead
from lab.layers.init import initialise
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class BertShape(ShapeSettings):
    """The sizes of a BERT."""

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
    eps: float = knob(1e-12, "Epsilon of LayerNorm", "LayerNorm 的 epsilon", low=0.0, high=0.1)
    segments: int = knob(2, "Segments that a text may have", "文本可有的句段数", low=1, high=1024)
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "bert",
    title="BERT",
    zh=("BERT", "编码器：每个词元都能看到左右两侧的全部词元；用掩码语言模型预训练。"),
    paper="Devlin et al. 2018, section 3",
    settings=BertShape,
    traits={"visible", "segments", "pools", "states"},
    order=10,
    year=2018,
    parent="gpt1",
    paradigm="encoder",
    objective="mlm",
    pair="nsp",
    tokenizer="byte_bpe",
    reads=("wordpiece",),
    learning_rate=4e-3,
    published=Published(
        source="Devlin et al. 2018, appendix A.2; google-research/bert, optimization.py (epsilon, clipping)",
        learning_rate=1e-4,
        warmup=10_000 / 1_000_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "256 texts of 128, then 512 tokens a step, 1M steps, dropout 0.1; its Adam has no bias correction",
            "每步 256 段，每段 128 词元（后期 512），共 100 万步，丢弃率 0.1；其 Adam 没有偏差校正",
        ),
    ),
)
def bert(s: BertShape, vocabulary: int, classes: int = 2) -> OneStack:
    """Encoder: every token attends to all tokens, left and right; pretrained by masked language modelling."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    # Twelve of these in the base model, all alike in shape, none in weights: ALBERT asks whether that is needed.
    def block() -> Block:
        # Post-norm, as in Vaswani et al. 2017: each sum is normalised behind its addition, so that deep stacks need a
        # warm-up.
        return Block(
            Attention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    # A token enters as the sum of what it is, where it stands and which of two sentences it is in, normalised.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Learned(s.context, s.width),
        segments=nn.Embedding(s.segments, s.width),
        norm=norm(s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)])
    # Back from states to tokens through the transposed token table; a pair is judged by what [CLS] has gathered.
    head = TransformHead(nn.Linear(s.width, s.width), gelu, norm(s.width), vocabulary, tied=s.tied)
    pair = SequenceHead(FirstToken(s.width), nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    # All weights start alike, whatever the objective: what the model becomes is up to the exercises that it is given.
    return initialise(OneStack(stack, head, pair), s.width)
