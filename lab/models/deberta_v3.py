"""DeBERTa, version 3: no convolution, and ELECTRA's exercise, but the tables are shared without their gradients.

Generator and discriminator are trained in one step, and not in two as by the authors: no gradient passes from one to
the other. Their code weighs the discriminator's loss by 10, their paper and this file by 50, as ELECTRA. A network
alone predicts without the mask decoder, as in transformers, whose classes know no generator.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.discriminator import Discriminator
from lab.layers.disentangled import Distances, SharedPlaces
from lab.layers.embeddings import Embedding
from lab.layers.enhanced import EnhancedStack
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import BesideFirst, FirstToken, SequenceHead, TransformHead
from lab.layers.init import initialise
from lab.layers.offset import Offset
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.published import Published
from lab.settings import knob

WEIGHT = 50.0  # of the discriminator's loss beside the generator's


@dataclass(frozen=True, kw_only=True)
class DebertaV3Shape(ShapeSettings):
    """The sizes of a DeBERTa of version 3."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(4, "Layers", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    generator_depth: int = knob(2, "Blocks of the generator beside it", "并行的生成器的层数", low=1, high=128)
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
    half: str = knob(
        "both",
        "Network",
        "网络",
        choices=("both", "discriminator", "generator"),
    )

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "deberta_v3",
    title="DeBERTa v3",
    zh=("DeBERTa v3", "用替换词元检测预训练的 DeBERTa，生成器与判别器共用嵌入但不共用梯度。"),
    paper="He et al. 2021, section 3",
    settings=DebertaV3Shape,
    traits={"visible", "pools", "states", "detects"},
    order=18,
    year=2021,
    parent="deberta_v2",
    paradigm="encoder",
    objective="rtd",
    objective_settings={"mask": 1.0},
    pair=None,
    tokenizer="byte_bpe",
    reads=("unigram",),
    learning_rate=4e-3,
    published=Published(
        source="He et al. 2021, section 3.1; microsoft/DeBERTa, DeBERTa/optims/args.py (Adam, decay, clipping)",
        learning_rate=5e-4,
        warmup=10_000 / 125_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "2,048 texts of 512 tokens a step, 125k steps, dropout 0.1, as in the paper's comparisons; the two "
            "networks step in turn, here together; the released command has 256 texts and rate 1e-4",
            "按论文中的对比实验：每步 2048 段，每段 512 词元，共 12.5 万步，丢弃率 0.1；两个网络轮流更新，这里同"
            "时更新；发布的命令为每步 256 段、学习率 1e-4",
        ),
    ),
)
def deberta_v3(s: DebertaV3Shape, vocabulary: int, classes: int = 0) -> Discriminator | OneStack:
    """DeBERTa with replaced-token detection; both networks share the embeddings, but not their gradients."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    # Each network has distances and blocks of its own; what they share are the tokens that are handed in.
    def stack(tokens: nn.Embedding | Offset, depth: int) -> Stack:
        distances = Distances(s.context, s.width, buckets=s.buckets, norm=norm(s.width), dropout=s.dropout)

        def block() -> Block:
            return Block(
                SharedPlaces(s.width, s.heads, distances, dropout=s.dropout),
                norm(s.width),
                MLP(s.width, s.feed or 4 * s.width, gelu),
                norm(s.width),
                norm="post",
                dropout=s.dropout,
            )

        embed = Embedding(
            tokens,
            norm=norm(s.width),
            dropout=s.dropout,
        )
        return Stack(embed, [block() for _ in range(depth)])

    # Generator and discriminator pull the vectors apart: masked language modelling wants similar tokens near each
    # other, detection wants them told apart. So the discriminator adds an offset of its own to the generator's vectors,
    # and its gradient stops there.
    tokens = nn.Embedding(vocabulary, s.width)
    fills = TransformHead(nn.Linear(s.width, s.width), gelu, norm(s.width), vocabulary)
    # One yes or no for each token, said of its sum with [CLS].
    finds = BesideFirst(s.width, gelu, norm(s.width))
    pooler = FirstToken(s.width, gelu, dropout=s.dropout)
    label = SequenceHead(pooler, nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    # A published file holds one network. Alone, each has the table itself: there is nothing to be offset from.
    if s.half == "generator":
        return initialise(OneStack(stack(tokens, s.depth), fills, label), s.width)
    if s.half == "discriminator":
        return initialise(Discriminator(stack(tokens, s.depth), finds, label, weight=WEIGHT), s.width)
    # In the paper the generator is half as deep and, unlike ELECTRA's, as wide: so the one table fits both.
    generator = EnhancedStack(stack(tokens, s.generator_depth), fills, late=Learned(s.context, s.width))
    return initialise(
        Discriminator(stack(Offset(tokens), s.depth), finds, label, generator=generator, weight=WEIGHT), s.width
    )
