"""MacBERT: BERT to the last parameter, trained to correct words instead of to fill gaps."""

from lab.catalog import MODELS
from lab.layers.stacks import OneStack
from lab.models.bert import BertShape, bert


@MODELS.add(
    "macbert",
    title="MacBERT",
    zh=("MacBERT", "结构与 BERT 相同：用近义词代替 [MASK]，模型把它们改正。"),
    paper="Cui et al. 2020, section 3",
    settings=BertShape,
    traits={"visible", "segments", "pools", "states"},
    order=12,
    year=2020,
    parent="bert",
    paradigm="encoder",
    objective="macbert",
    pair="sop",
    tokenizer="byte_bpe",
    reads=("wordpiece",),
    learning_rate=4e-3,
)
def macbert(s: BertShape, vocabulary: int, classes: int = 2) -> OneStack:
    """BERT's architecture; similar words take the place of [MASK], and the model corrects them."""
    # Not a line of the architecture is new: the exercise is (lab/objectives/macbert.py).
    return bert(s, vocabulary, classes)
