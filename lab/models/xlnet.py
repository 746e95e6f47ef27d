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
from lab.layers.init import initialise
from lab.layers.relative import RelativeAttention
from lab.layers.two_streams import StreamEmbedding, TwoStreamModel, TwoStreams
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class XlnetShape(ShapeSettings):
    """The sizes of an XLNet."""

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
    memory: int = knob(32, "Memory: tokens before the text", "记忆：文本之前的词元数", low=0, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)
    eps: float = knob(1e-12, "Epsilon of LayerNorm", "LayerNorm 的 epsilon", low=0.0, high=0.1)
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        check_heads(self.width, self.heads)


@MODELS.add(
    "xlnet",
    title="XLNet",
    zh=("XLNet", "排列语言模型加双流注意力：负责预测的查询流只知道位置。"),
    paper="Yang et al. 2019, section 2",
    settings=XlnetShape,
    traits={"visible", "segments", "pools", "states", "streams"},
    order=20,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="permutation",
    pair=None,
    tokenizer="byte_bpe",
    reads=("unigram",),
    learning_rate=1e-2,
    published=Published(
        source="Yang et al. 2019, appendix A.4.1, table 7; zihangdai/xlnet, model_utils.py and train.py",
        learning_rate=4e-4,
        warmup=40_000 / 500_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        weight_decay=0.01,
        clip=1.0,
        init_std=0.02,
        beside=(
            "8,192 texts of 512 tokens a step, 500k steps, dropout 0.1; the released command has 2,048 texts",
            "每步 8192 段，每段 512 词元，共 50 万步，丢弃率 0.1；发布的命令为每步 2048 段",
        ),
    ),
)
def xlnet(s: XlnetShape, vocabulary: int, classes: int = 0) -> TwoStreamModel:
    """Permutation language modelling with two-stream attention: the query stream knows only the position."""

    def norm(width: int) -> nn.LayerNorm:
        return nn.LayerNorm(width, eps=s.eps)

    def block() -> Block:
        return Block(
            # Transformer-XL's attention: scores depend on the distance, so that memory from before the row keeps its
            # place.
            RelativeAttention(s.width, s.heads, dropout=s.dropout),
            norm(s.width),
            MLP(s.width, s.feed or 4 * s.width, gelu, dropout=s.dropout),
            norm(s.width),
            norm="post",
            dropout=s.dropout,
        )

    # A second vector, the same for every place: what the query stream knows of a token that it has yet to predict.
    embed = StreamEmbedding(
        nn.Embedding(vocabulary, s.width),
        nn.Embedding(1, s.width),
        dropout=s.dropout,
    )
    # Both streams run through the same blocks with the same weights. The content stream sees a token itself, the query
    # stream only where it stands: or each would find its answer in what it looks at.
    stack = TwoStreams(embed, [block() for _ in range(s.depth)])
    head = TiedHead(vocabulary) if s.tied else OwnHead(s.width, vocabulary, bias=True)
    label = SequenceHead(LastToken(s.width), nn.Linear(s.width, classes), dropout=s.dropout) if classes else None
    return initialise(TwoStreamModel(stack, head, label), s.width)
