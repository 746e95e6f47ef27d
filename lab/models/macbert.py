"""MacBERT: BERT to the last parameter, trained to correct words instead of to fill gaps."""

from lab.catalog import MODELS
from lab.layers.stacks import OneStack
from lab.models.bert import BertShape, bert


@MODELS.add(
    "macbert",
    title="MacBERT",
    zh=("MacBERT", "结构与 BERT 完全相同，只是改学纠错：没有 [MASK]，用相近的词代替。"),
    paper="Cui et al. 2020, section 3",
    settings=BertShape,
    traits={"visible", "segments", "pools"},
    order=12,
    year=2020,
    parent="bert",
    paradigm="encoder",
    objective="macbert",
    pair="sop",
    tokenizer="byte_bpe",
    reads=("wordpiece",),
    rate=1e-3,
)
def macbert(s: BertShape, vocabulary: int, classes: int = 2) -> OneStack:
    """BERT's body, trained to correct words instead of to fill gaps."""
    return bert(s, vocabulary, classes)
