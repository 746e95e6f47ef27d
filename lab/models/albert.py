"""ALBERT: BERT with cross-layer parameter sharing, one block that runs many times over, and a factorised embedding.

The authors' code knows only the tanh approximation of gelu; transformers computes the published version 1 with gelu
as defined and version 2 with the approximation, hence the setting. All published models share everything; the other
modes are those of the paper's section 4.5, which does not say where the norms go: here each goes with its part.
"""

from dataclasses import dataclass
from functools import cache

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import ACTIVATIONS, MLP
from lab.layers.heads import FirstToken, SequenceHead, TransformHead
from lab.layers.init import initialise
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class AlbertShape(ShapeSettings):
    """The sizes of an ALBERT."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(4, "Layers", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    embedding_width: int = knob(64, "Embedding size E", "嵌入维度 E", low=1, high=16384)
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
    activation: str = knob("gelu_tanh", "Activation", "激活函数", choices=tuple(ACTIVATIONS))
    sharing: str = knob("all", "Shared by all blocks", "跨层共享的参数", choices=("all", "attention", "feed", "none"))

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "albert",
    title="ALBERT",
    zh=("ALBERT", "跨层参数共享、嵌入矩阵分解的 BERT。"),
    paper="Lan et al. 2019, section 3",
    settings=AlbertShape,
    traits={"visible", "segments", "pools", "states"},
    order=13,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="mlm",
    pair="sop",
    tokenizer="byte_bpe",
    reads=("unigram",),
    learning_rate=3e-3,
    published=Published(
        source="Lan et al. 2019, section 4.1; google-research/albert, README.md (warm-up) and optimization.py",
        optimizer="lamb",
        learning_rate=0.00176,
        warmup=3_125 / 125_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "4,096 texts of 512 tokens a step, 125k steps; the released code clips, version 2 drops nothing",
            "每步 4096 段，每段 512 词元，共 12.5 万步；发布的代码裁剪梯度，第二版不用丢弃",
        ),
    ),
)
def albert(s: AlbertShape, vocabulary: int, classes: int = 2) -> OneStack:
    """BERT with cross-layer parameter sharing (one block for all layers) and factorised embeddings."""
    activation = ACTIVATIONS[s.activation]

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    # Attention and feed-forward network are made apart, so that either can be shared without the other (section 4.5).
    def attention() -> tuple[Attention, nn.LayerNorm]:
        return Attention(s.width, s.heads, dropout=s.dropout), norm(s.width)

    def feed() -> tuple[MLP, nn.LayerNorm]:
        return MLP(s.width, s.feed or 4 * s.width, activation), norm(s.width)

    # What is cached is made once: every block is given the same.
    attend = cache(attention) if s.sharing == "attention" else attention
    think = cache(feed) if s.sharing == "feed" else feed

    def block() -> Block:
        return Block(*attend(), *think(), norm="post", dropout=s.dropout)

    # Factorised embedding: V * E + E * W numbers instead of V * W. A token by itself needs less room than a token in
    # its context, and the table is where most parameters of a shallow model are.
    embed = Embedding(
        nn.Embedding(vocabulary, s.embedding_width),
        Learned(s.context, s.embedding_width),
        segments=nn.Embedding(s.segments, s.embedding_width),
        norm=norm(s.embedding_width),
        project=nn.Linear(s.embedding_width, s.width),
        dropout=s.dropout,
    )
    # Cross-layer parameter sharing: one block, run as often as there are layers. It saves parameters, not time.
    blocks = [block() for _ in range(1 if s.sharing == "all" else s.depth)]
    stack = Stack(embed, blocks, times=s.depth // len(blocks))
    # The same factorisation on the way out: back from W to E, then against the table.
    head = TransformHead(
        nn.Linear(s.width, s.embedding_width), activation, norm(s.embedding_width), vocabulary, tied=s.tied
    )
    # Whether two sentences stand in their order is asked (sop): next sentence prediction is solved by the topic alone.
    pair = SequenceHead(FirstToken(s.width), nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return initialise(OneStack(stack, head, pair), s.width)
