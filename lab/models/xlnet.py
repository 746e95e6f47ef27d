"""XLNet: BERT's block with attention by distance, read in any order, and a second stream that answers.

The authors' code uses the tanh approximation of gelu; transformers computes the published checkpoints with gelu as
defined, and so does this file. The authors carry the memory from batch to batch, and with it that of earlier rows;
here each row reads what stands before it anew, so that a batch depends on nothing but the run and its number. A token
that comes first in the order and may see nobody gathers nothing; in transformers it looks at all tokens alike, itself
included.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads
from lab.layers.blocks import Block
from lab.layers.feedforward import MLP, gelu
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.relative import RelativeAttention
from lab.layers.start import start
from lab.layers.two_streams import StreamEmbedding, TwoStreamModel, TwoStreams
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class XlnetShape(ShapeSettings):
    """The sizes of an XLNet."""

    width: int = knob(128, "Width of a token's vector", "词元向量的宽度", low=4, high=16384)
    depth: int = knob(4, "Number of blocks", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    feed: int | None = knob(
        None, "Feed-forward width, 4 times the width if left out", "前馈层宽度，缺省为宽度的 4 倍", low=4, high=65536
    )
    context: int = knob(128, "Longest text in tokens", "最长文本的词元数", low=8, high=8192)
    memory: int = knob(32, "Memory: tokens before the text", "记忆：文本之前的词元数", low=0, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)
    eps: float = knob(1e-12, "Epsilon of LayerNorm", "LayerNorm 的 epsilon", low=0.0, high=0.1)
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "xlnet",
    title="XLNet",
    zh=("XLNet", "按随机次序阅读，并由只知道位置的第二条流来作答的 BERT。"),
    paper="Yang et al. 2019, section 2",
    settings=XlnetShape,
    traits={"visible", "segments", "pools", "streams"},
    order=20,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="permutation",
    pair=None,
    tokenizer="byte_bpe",
    reads=("unigram",),
    rate=3e-3,
    published=Published(
        rate=4e-4,
        warmup=40_000 / 500_000,
        beside=(
            "8,192 texts of 512 tokens a step, 500k steps, dropout 0.1",
            "每步 8192 段，每段 512 词元，共 50 万步，丢弃率 0.1",
        ),
    ),
)
def xlnet(s: XlnetShape, vocabulary: int, classes: int = 0) -> TwoStreamModel:
    """Reads in any order, and answers in a second stream that knows where a token stands and not what it is."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block() -> Block:
        return Block(
            RelativeAttention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu, dropout=s.dropout),
            norm(s.width),
            norm="last",
            dropout=s.dropout,
        )

    embed = StreamEmbedding(
        nn.Embedding(vocabulary, s.width),
        nn.Embedding(1, s.width),
        dropout=s.dropout,
    )
    stack = TwoStreams(embed, [block() for _ in range(s.depth)])
    head = TiedHead(vocabulary) if s.tied else OwnHead(s.width, vocabulary, bias=True)
    label = SequenceHead(LastToken(s.width), nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return start(TwoStreamModel(stack, head, label), s.width)
