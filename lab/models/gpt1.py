"""GPT-1: the decoder of the Transformer without its encoder, trained to say what comes next.

Blocks normalise their sums, as those of Vaswani et al. 2017; no norm stands behind the embedding or at the end. What
transformers calls "gelu" in this family is the tanh approximation, and so it is here.
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
class Gpt1Shape(ShapeSettings):
    """The sizes of a GPT-1."""

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
    "gpt1",
    title="GPT-1",
    zh=("GPT-1", "只用 Transformer 的解码器，后置归一化：由前面的词元预测下一个。"),
    paper="Radford et al. 2018, section 4.1",
    settings=Gpt1Shape,
    traits={"visible", "pools", "states"},
    order=40,
    year=2018,
    parent="transformer",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("char_bpe",),
    learning_rate=1e-2,
    published=Published(
        source="Radford et al. 2018, section 4.1; openai/finetune-transformer-lm, train.py (betas, epsilon, clipping)",
        learning_rate=2.5e-4,
        warmup=None,
        schedule="cosine",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "64 texts of 512 tokens a step, 100 epochs, dropout 0.1, 2,000 steps of warm-up: of how many the "
            "paper does not say, and the lab's share stays; betas, epsilon and clipping are those of the "
            "authors' fine-tuning",
            "每步 64 段，每段 512 词元，共 100 轮，丢弃率 0.1，预热 2000 步：论文没有说明总步数，比例沿用本实验室的"
            "；beta、epsilon 与裁剪取自作者的微调代码",
        ),
    ),
)
def gpt1(s: Gpt1Shape, vocabulary: int, classes: int = 0) -> OneStack:
    """The Transformer's decoder alone, with post-norm: predicts each token from those before it."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block() -> Block:
        # Post-norm, as in the Transformer that it was taken from: GPT-2 moves the norms in front.
        return Block(
            Attention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu_tanh),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    # The paper learns its positions, too, where the Transformer has sines and cosines.
    embed = Embedding(
        nn.Embedding(vocabulary, s.width),
        Learned(s.context, s.width),
        dropout=s.dropout,
    )
    # The last block ends in a norm already: none is needed behind the stack.
    stack = Stack(embed, [block() for _ in range(s.depth)])
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    # In the paper a text ends with an extract token, whose state is judged: the last has seen all others.
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return initialise(OneStack(stack, head, label), s.width)
