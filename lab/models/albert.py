"""ALBERT: BERT with one block that runs many times over, and with token tables narrower than the model.

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
from lab.layers.kinds import KINDS, attention_of
from lab.layers.positions import Learned
from lab.layers.stacks import OneStack, Stack
from lab.layers.start import start
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class AlbertShape(ShapeSettings):
    """The sizes of an ALBERT."""

    width: int = knob(128, "Width of a token's vector", "词元向量的宽度", low=4, high=16384)
    depth: int = knob(4, "Number of blocks", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    narrow: int = knob(64, "Embedding size E", "嵌入维度 E", low=1, high=16384)
    feed: int | None = knob(
        None, "Feed-forward width, 4 times the width if left out", "前馈层宽度，缺省为宽度的 4 倍", low=4, high=65536
    )
    context: int = knob(128, "Longest text in tokens", "最长文本的词元数", low=8, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)
    eps: float = knob(1e-12, "Epsilon of LayerNorm", "LayerNorm 的 epsilon", low=0.0, high=0.1)
    segments: int = knob(2, "Segments that a text may have", "文本可有的句段数", low=1, high=1024)
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")
    activation: str = knob("gelu_tanh", "Activation", "激活函数", choices=tuple(ACTIVATIONS))
    share: str = knob("all", "Shared by all blocks", "跨层共享的参数", choices=("all", "attention", "feed", "none"))
    attention: str = knob("full", "Kind of attention", "注意力的种类", choices=KINDS)
    window: int = knob(32, "How far a window reaches, in tokens", "窗口可及的词元数", low=1, high=8192)

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "albert",
    title="ALBERT",
    zh=("ALBERT", "跨层共享参数、嵌入矩阵分解的 BERT。"),
    paper="Lan et al. 2019, section 3",
    settings=AlbertShape,
    traits={"visible", "segments", "pools"},
    order=13,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="mlm",
    pair="sop",
    tokenizer="byte_bpe",
    reads=("unigram",),
    rate=1e-3,
    published=Published(
        optimizer="lamb",
        rate=0.00176,
        warmup=3_125 / 125_000,
        beside=(
            "4,096 texts of 512 tokens a step, 125k steps; the released code clips, version 2 drops nothing",
            "每步 4096 段，每段 512 词元，共 12.5 万步；发布的代码裁剪梯度，第二版不用丢弃",
        ),
    ),
)
def albert(s: AlbertShape, vocabulary: int, classes: int = 2) -> OneStack:
    """BERT with one block shared by all layers and with factorised embeddings."""
    activation = ACTIVATIONS[s.activation]

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def attention() -> tuple[Attention, nn.LayerNorm]:
        return attention_of(s.attention, s.width, s.heads, window=s.window, dropout=s.dropout), norm(s.width)

    def feed() -> tuple[MLP, nn.LayerNorm]:
        return MLP(s.width, s.feed or 4 * s.width, activation), norm(s.width)

    # What is cached is made once: every block is given the same.
    attend = cache(attention) if s.share == "attention" else attention
    think = cache(feed) if s.share == "feed" else feed

    def block() -> Block:
        return Block(*attend(), *think(), norm="last", dropout=s.dropout)

    embed = Embedding(
        nn.Embedding(vocabulary, s.narrow),
        Learned(s.context, s.narrow),
        segments=nn.Embedding(s.segments, s.narrow),
        norm=norm(s.narrow),
        project=nn.Linear(s.narrow, s.width),
        dropout=s.dropout,
    )
    blocks = [block() for _ in range(1 if s.share == "all" else s.depth)]
    stack = Stack(embed, blocks, times=s.depth // len(blocks))
    head = TransformHead(nn.Linear(s.width, s.narrow), activation, norm(s.narrow), vocabulary, tied=s.tied)
    pair = SequenceHead(FirstToken(s.width), nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return start(OneStack(stack, head, pair), s.width)
