"""ELECTRA: a small generator fills gaps, and a discriminator finds which tokens it replaced.

The paper speaks of shared token and position embeddings; the authors' code shares the segments' table and the norm
behind them, too, and so does this file. As in the published base and large models the tables may be as wide as the
discriminator, which then needs no projection.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import Learning, ShapeSettings
from lab.layers.attention import Attention, check_heads
from lab.layers.blocks import Block
from lab.layers.discriminator import Discriminator
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import FirstToken, SequenceHead, TokenHead, TransformHead
from lab.layers.init import initialise
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.published import Published
from lab.settings import knob

WEIGHT = 50.0  # of the discriminator's loss beside the generator's


@dataclass(frozen=True, kw_only=True)
class ElectraShape(ShapeSettings):
    """The sizes of an ELECTRA."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(4, "Layers", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    embedding_width: int = knob(64, "Embedding size E", "嵌入维度 E", low=1, high=16384)
    wide: bool = knob(False, "Embeddings as wide as the model", "嵌入与模型同宽")
    generator: int = knob(32, "Width of the generator", "生成器的宽度", low=4, high=16384)
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
    half: str = knob(
        "both",
        "Network",
        "网络",
        choices=("both", "discriminator", "generator"),
    )

    @property
    def few(self) -> int:
        """The generator's heads: as many as share its width out and are at least as wide as the discriminator's."""
        most = max(1, self.heads * self.generator // self.width)
        return max(heads for heads in range(1, most + 1) if self.generator % heads == 0)

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "electra",
    title="ELECTRA",
    zh=("ELECTRA", "替换词元检测：小的生成器填上掩码，判别器找出被替换的词元。"),
    paper="Clark et al. 2020, section 2",
    settings=ElectraShape,
    traits={"visible", "segments", "pools", "states", "detects"},
    order=15,
    year=2020,
    parent="bert",
    paradigm="encoder",
    objective="rtd",
    pair=None,
    tokenizer="byte_bpe",
    reads=("wordpiece",),
    learning_rate=4e-3,
    learning=Learning(
        shows="loss",
        seconds=100,
        least={"generator": 64},
        why=(
            "only its generator predicts tokens, and a narrow one hardly learns to",
            "只有生成器预测词元，而太窄的生成器几乎学不会",
        ),
    ),
    published=Published(
        source="google-research/electra, configure_pretraining.py and model/optimization.py; Clark et al. 2020, "
        "table 6",
        learning_rate=5e-4,
        warmup=10_000 / 1_000_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "128 texts of 128 tokens a step, 1M steps, dropout 0.1, as the small one (base and large: rate 2e-4)",
            "按 small：每步 128 段，每段 128 词元，共 100 万步，丢弃率 0.1（base 与 large 的学习率为 2e-4）",
        ),
    ),
)
def electra(s: ElectraShape, vocabulary: int, classes: int = 0) -> Discriminator | OneStack:
    """Replaced-token detection: a small generator fills masks, a discriminator finds the replaced tokens."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block(width: int, heads: int, feed: int) -> Block:
        return Block(
            Attention(width, heads, dropout=s.dropout),
            norm(width),
            MLP(width, feed, gelu),
            norm(width),
            norm="post",
            dropout=s.dropout,
        )

    # One set of tables for both networks: the softmax of the generator moves the vectors of all tokens at each step,
    # the discriminator only those of the tokens that it reads (section 3.2).
    embedding_width = s.width if s.wide else s.embedding_width
    tokens, positions = nn.Embedding(vocabulary, embedding_width), Learned(s.context, embedding_width)
    segments, together = nn.Embedding(s.segments, embedding_width), norm(embedding_width)

    def stack(width: int, heads: int, feed: int) -> Stack:
        # The networks differ in width. A map leads from the shared tables to each.
        project = None if s.wide and width == embedding_width else nn.Linear(embedding_width, width)
        embed = Embedding(tokens, positions, segments=segments, norm=together, project=project, dropout=s.dropout)
        return Stack(embed, [block(width, heads, feed) for _ in range(s.depth)])

    def label(width: int) -> SequenceHead | None:
        first = FirstToken(width, gelu, dropout=s.dropout)
        return SequenceHead(first, nn.Linear(width, classes), dropout=s.dropout) if classes else None

    def generator(width: int, heads: int, feed: int, label: SequenceHead | None = None) -> OneStack:
        head = TransformHead(nn.Linear(width, embedding_width), gelu, norm(embedding_width), vocabulary, tied=s.tied)
        return OneStack(stack(width, heads, feed), head, label)

    # A published file holds one half of the pair, and so may a model here: the discriminator to fine-tune, the
    # generator to fill masks.
    sizes = s.width, s.heads, s.feed or 4 * s.width
    if s.half == "generator":
        return initialise(generator(*sizes, label(s.width)), s.width)
    # A generator as large as the discriminator would fill masks so well that nothing is left to be found (section 3.2).
    small = generator(s.generator, s.few, 4 * s.generator) if s.half == "both" else None
    head = TokenHead(s.width, gelu)
    # The losses are added and not played against each other, as in a GAN: no gradient passes through a sampled token. A
    # yes or no costs far fewer nats than a token out of the whole vocabulary, hence the weight of 50.
    model = initialise(Discriminator(stack(*sizes), head, label(s.width), generator=small, weight=WEIGHT), s.width)
    if small is not None:
        initialise(small.stack.blocks, s.generator)
    return model
