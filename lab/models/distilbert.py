"""DistilBERT: BERT with half as many blocks, without segments and pooler, that learns from a larger model's answers.

Its head for sentences has a ReLU where BERT's pooler has a tanh, and is not pretrained.
"""

from dataclasses import dataclass

from torch import nn
from torch.nn import functional

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
class DistilbertShape(ShapeSettings):
    """The sizes of a DistilBERT."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(2, "Layers", "层数", low=1, high=128)
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
    "distilbert",
    title="DistilBERT",
    zh=("DistilBERT", "层数减半的 BERT，用知识蒸馏向更大的模型学习。"),
    paper="Sanh et al. 2019, section 3",
    settings=DistilbertShape,
    traits={"visible", "pools", "states"},
    order=14,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="mlm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("wordpiece",),
    learning_rate=4e-3,
    published=Published(
        source="transformers, research project distillation, train.py and distiller.py; Sanh et al. 2019, section 3",
        learning_rate=5e-4,
        warmup=0.05,
        schedule="linear",
        beta1=0.9,
        beta2=0.98,
        epsilon=1e-6,
        weight_decay=0.0,
        clip=5.0,
        init_std=0.02,
        beside=(
            "about 4,000 texts a step, 3 epochs, dropout 0.1, half of the teacher's blocks as its start; as in "
            "the authors' code",
            "每步约 4000 段，共 3 轮，丢弃率 0.1，以教师的一半层作为初始化；按作者的代码",
        ),
    ),
)
def distilbert(s: DistilbertShape, vocabulary: int, classes: int = 0) -> OneStack:
    """BERT with half as many layers, pretrained by knowledge distillation from a larger model."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=1e-12)

    def block() -> Block:
        # BERT's block, half as many times. They start from every second block of the teacher
        # (lab/training/distillation.py).
        return Block(
            Attention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    # Without pairs of sentences in pretraining, segments have nothing to say and are gone.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Learned(s.context, s.width),
        norm=norm(s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)])
    head = TransformHead(nn.Linear(s.width, s.width), gelu, norm(s.width), vocabulary, tied=s.tied)
    # There was no next sentence prediction to train a pooler: this one begins with fine-tuning.
    first = FirstToken(s.width, functional.relu)
    label = SequenceHead(first, nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return initialise(OneStack(stack, head, label), s.width)
