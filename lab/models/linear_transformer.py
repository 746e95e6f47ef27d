"""Linear Transformer: a decoder whose attention has no softmax, so that its time is linear in the text's length.

The features of queries and keys are elu(x) + 1, and what stands before a token is one running sum: the model reads as a
Transformer and writes as a recurrent network. Blocks normalise their sums, as equation 1 of the paper and its authors'
code (idiap/fast-transformers) have it; positions are learned and the head is tied as in GPT-1, since the paper has no
language model of words.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, relu
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.init import initialise
from lab.layers.linear import LinearAttention
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class LinearTransformerShape(ShapeSettings):
    """The sizes of a linear Transformer."""

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
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "linear_transformer",
    title="Linear Transformer",
    zh=("线性 Transformer", "使用线性注意力的解码器：用特征映射代替 softmax，用时随文本长度线性增长。"),
    paper="Katharopoulos et al. 2020, section 3",
    settings=LinearTransformerShape,
    traits={"visible", "pools", "states"},
    order=40.5,
    year=2020,
    parent="gpt1",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=(),  # the paper learns from pictures and speech
    learning_rate=1e-2,
)
def linear_transformer(s: LinearTransformerShape, vocabulary: int, classes: int = 0) -> OneStack:
    """Decoder with linear attention: feature maps replace the softmax, so that time is linear in the text's length."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block() -> Block:
        return Block(
            # Without a softmax (Q K^T) V is Q (K^T V): the keys and values of all earlier tokens are one sum of K x K
            # numbers for each head, which does not grow with the text.
            LinearAttention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, relu),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    # All around the attention is as in GPT-1, but for relu: so a comparison of the two compares their attention.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Learned(s.context, s.width),
        dropout=s.dropout,
    )
    stack = Stack(embed, [block() for _ in range(s.depth)])
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return initialise(OneStack(stack, head, label), s.width)
