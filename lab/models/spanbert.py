"""SpanBERT: BERT's body, which learns spans instead of tokens, and learns each of them from its two ends, too.

There are no sentence pairs. Published checkpoints are the body alone, which transformers reads as BERT's. The second
head's vectors of places are 200 wide and 20 in number whatever the model's width, as in the authors' code.
"""

from torch import nn

from lab.catalog import MODELS
from lab.layers.boundary import BoundaryHead, BoundaryStack
from lab.layers.feedforward import gelu
from lab.layers.start import start
from lab.models.bert import BertShape, bert
from lab.published import Published


@MODELS.add(
    "spanbert",
    title="SpanBERT",
    zh=("SpanBERT", "遮住整段文字，并且仅凭片段两端的词元再猜一遍。"),
    paper="Joshi et al. 2019, section 3",
    settings=BertShape,
    traits={"whole", "segments", "pools"},
    order=14.5,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="span",
    pair=None,
    pooler=True,
    tokenizer="byte_bpe",
    reads=("wordpiece",),
    rate=1e-3,
    published=Published(
        rate=1e-4,
        warmup=10_000 / 2_400_000,
        epsilon=1e-8,
        decay=0.1,
        beside=(
            "256 texts of 512 tokens a step, 2.4M steps, dropout 0.1",
            "每步 256 段，每段 512 词元，共 240 万步，丢弃率 0.1",
        ),
    ),
)
def spanbert(s: BertShape, vocabulary: int, classes: int = 0) -> BoundaryStack:
    """Whole spans are hidden, and each is guessed a second time from its two ends alone."""

    def norm() -> nn.LayerNorm:
        return nn.LayerNorm(s.width, eps=s.eps)

    plain = bert(s, vocabulary, classes)
    boundary = BoundaryHead(s.width, gelu, (norm(), norm()), vocabulary)
    return start(BoundaryStack(plain.stack, plain.head, plain.sequence, boundary), s.width)
