"""RoBERTa: BERT trained longer on more text, without sentence pairs and with new masks in every epoch.

It is BERT's body but for the norms' eps, a single segment, whose one row is added to every token, and the way in which
positions are counted. Its head for sentences is not pretrained, and drops out before its dense layer, too.
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
from lab.layers.positions import Counted
from lab.layers.stacks import OneStack, Stack
from lab.published import UNLIMITED, Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class RobertaShape(ShapeSettings):
    """The sizes of a RoBERTa."""

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


@MODELS.add(
    "roberta",
    title="RoBERTa",
    zh=("RoBERTa", "训练得更久的 BERT：不做下一句预测，使用动态掩码。"),
    paper="Liu et al. 2019, section 4",
    settings=RobertaShape,
    traits={"visible", "pools", "states"},
    order=11,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="mlm",
    pair=None,
    pooler=True,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    learning_rate=4e-3,
    published=Published(
        source="Liu et al. 2019, appendix, table 9; fairseq, examples/roberta/config/pretraining/base.yaml",
        learning_rate=6e-4,
        warmup=24_000 / 500_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.98,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=UNLIMITED,
        init_std=0.02,
        beside=(
            "8,000 texts of 512 tokens a step, 500k steps, dropout 0.1, gradients not clipped (the large one: "
            "rate 4e-4, 30k steps of warm-up); the released command for the base one has 2,048 texts, 125k steps "
            "and rate 5e-4",
            "每步 8000 段，每段 512 词元，共 50 万步，丢弃率 0.1，不裁剪梯度（large 的学习率为 4e-4，预热 3 万步"
            "）；发布的 base 命令为每步 2048 段、12.5 万步、学习率 5e-4",
        ),
    ),
)
def roberta(s: RobertaShape, vocabulary: int, classes: int = 0) -> OneStack:
    """BERT trained longer, without next sentence prediction and with dynamic masking."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block() -> Block:
        # BERT's block to the letter: what is new in RoBERTa is how long, on what and with which masks it is trained.
        return Block(
            Attention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    # Positions count the tokens that are no padding, as fairseq did. There is one segment only, yet its row is added.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Counted(s.context, s.width, s.pad),
        segments=nn.Embedding(s.segments, s.width),
        norm=norm(s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)])
    # No pair of sentences is judged in pretraining: without next sentence prediction it did as well or better (section
    # 4.2).
    head = TransformHead(nn.Linear(s.width, s.width), gelu, norm(s.width), vocabulary, tied=s.tied)
    # The head of a classifier, which fine-tuning trains from nothing.
    pooler = FirstToken(s.width, dropout=s.dropout)
    label = SequenceHead(pooler, nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return initialise(OneStack(stack, head, label), s.width)
