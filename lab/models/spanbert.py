"""SpanBERT: BERT's body, which learns spans instead of tokens, and each of them from the two tokens beside it, too.

There are no sentence pairs. Published checkpoints are the body alone, which transformers reads as BERT's. The second
head's vectors of places are 200 wide and 20 in number whatever the model's width, as in the authors' code.
"""

from torch import nn

from lab.catalog import MODELS
from lab.entries import Learning
from lab.layers.feedforward import gelu
from lab.layers.init import initialise
from lab.layers.span_boundary import BoundaryHead, BoundaryStack
from lab.models.bert import BertShape, bert
from lab.published import Published


@MODELS.add(
    "spanbert",
    title="SpanBERT",
    zh=("SpanBERT", "片段掩码加片段边界目标的 BERT：还要仅凭片段两侧的词元预测片段。"),
    paper="Joshi et al. 2019, section 3",
    settings=BertShape,
    traits={"whole", "segments", "pools", "states"},
    order=14.5,
    year=2019,
    parent="bert",
    paradigm="encoder",
    objective="span",
    pair=None,
    pooler=True,
    tokenizer="byte_bpe",
    reads=("wordpiece",),
    learning_rate=4e-3,
    learning=Learning(
        shows="loss",
        seconds=180,
        longer={"town_zh": 270},
        why=(
            "it predicts whole spans, in which the token before is often masked, too, while the bigram model knows it",
            "它预测整个片段，其中前一词元常常也被遮住，而二元模型总是知道它",
        ),
    ),
    published=Published(
        source="Joshi et al. 2019, section 4.2; facebookresearch/SpanBERT, pretraining/README.md (clipping)",
        learning_rate=1e-4,
        warmup=10_000 / 2_400_000,
        schedule="linear",
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        weight_decay=0.1,
        clip=1.0,
        init_std=0.02,
        beside=(
            "256 texts of 512 tokens a step, 2.4M steps, dropout 0.1; the released command has weight decay 0.01",
            "每步 256 段，每段 512 词元，共 240 万步，丢弃率 0.1；发布的命令权重衰减为 0.01",
        ),
    ),
)
def spanbert(s: BertShape, vocabulary: int, classes: int = 0) -> BoundaryStack:
    """BERT with span masking and a span boundary objective: spans are also predicted from the tokens beside them."""

    def norm() -> nn.LayerNorm:
        return nn.LayerNorm(s.width, eps=s.eps)

    # The body is BERT's, parameter for parameter, so that BERT's classes read the published files.
    plain = bert(s, vocabulary, classes)
    # The span boundary objective: each token of a span is predicted a second time, from the two tokens around the span
    # and its place inside. The ends must therefore know what stands between them.
    boundary = BoundaryHead(s.width, gelu, (norm(), norm()), vocabulary)
    return initialise(BoundaryStack(plain.stack, plain.head, plain.sequence, boundary), s.width)
