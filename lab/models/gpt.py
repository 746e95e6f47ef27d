"""GPT: a stack of blocks that reads from left to right and says what comes next (GPT-2 and the dense GPT-3).

The released TensorFlow code starts its residual maps unscaled; the paper scales them down by the square root of the
number of residual additions, as transformers does, and so does this file. GPT-3 lets every second layer look at a
band only; here all layers are dense. In two rows of its table 2.1 (1.3B and 13B) the heads do not add up to the width.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu_tanh
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.init import initialise
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class GptShape(ShapeSettings):
    """The sizes of a GPT."""

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
    "gpt",
    title="GPT",
    zh=("GPT", "因果注意力、前置归一化的解码器：由前面的词元预测下一个。"),
    paper="Radford et al. 2019, section 2.3",
    settings=GptShape,
    traits={"visible", "pools", "states"},
    order=41,
    year=2019,
    first="GPT-2",
    parent="gpt1",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    learning_rate=1e-2,
    published=Published(
        source="Brown et al. 2020, appendix B and table 2.1; openai/gpt-2, src/model.py (first weights)",
        learning_rate=6e-4,
        warmup=0.375e9 / 300e9,
        schedule="cosine",
        floor=0.1,
        beta1=0.9,
        beta2=0.95,
        epsilon=1e-8,
        weight_decay=0.1,
        clip=1.0,
        init_std=0.02,
        beside=(
            "half a million tokens a step, 300 billion in all, and a learning rate that falls over the first 260 "
            "billion, all as of the smallest GPT-3: GPT-2's paper gives only the batch, 512 texts of 1,024 tokens",
            "每步 50 万词元，共 3000 亿词元，学习率在前 2600 亿内下降：这些都取自最小的 GPT-3，GPT-2 的论文只说每"
            "步 512 段、每段 1024 词元",
        ),
    ),
)
def gpt(s: GptShape, vocabulary: int, classes: int = 0) -> OneStack:
    """Decoder with causal attention and pre-norm: predicts each token from those before it."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block() -> Block:
        # Pre-norm is what makes it GPT-2: each part reads a normalised copy, and the sum itself is never normalised, so
        # that 48 such blocks still learn. Nothing here says that a token looks back only: the exercise says that.
        return Block(
            Attention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu_tanh),
            norm(s.width),
            norm="pre",
            dropout=s.dropout,
        )

    # There is one text and no pair of sentences: no segments, and no norm behind the sum.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Learned(s.context, s.width),
        dropout=s.dropout,
    )
    # The sums grow from block to block, unnormalised: one more norm stands between the last of them and the head.
    stack = Stack(embed, [block() for _ in range(s.depth)], norm=norm(s.width))
    # The table that made vectors of tokens makes tokens of vectors: for a small model, a third of all parameters.
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    # Read from left to right, the last token alone has seen the whole text.
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    # Each block adds twice to the sum. Smaller first weights keep its variance from growing with the depth.
    return initialise(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
