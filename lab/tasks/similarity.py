"""Semantic textual similarity: a number for how much two texts mean the same, learnt by regression.

The head gives one number, and the loss is its squared error. What counts is the order, by Spearman's correlation: a
model that finds every pair's place need not know the scale.
"""

from collections.abc import Sequence

from lab.catalog import TASKS
from lab.entries import Scores
from lab.examples import Example, Prediction, Unit
from lab.settings import Settings
from lab.tasks.metrics.correlation import pearson, spearman
from lab.tasks.parts.losses import of_values
from lab.tasks.parts.pairs import overlap, pair_unit
from lab.tasks.parts.reader import Reader


def predict(
    example: Example, units: Sequence[Unit], scores: Sequence[Scores], labels: Sequence[str], s: Settings
) -> Prediction:
    """The number that the head gives."""
    return Prediction(value=float(scores[0].reshape(-1)[0]))


def measure(predictions: Sequence[Prediction], examples: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """Spearman's and Pearson's correlation with the truth."""
    values = [answer.value for answer in predictions], [answer.value for answer in examples]
    return {"spearman": round(spearman(*values), 6), "pearson": round(pearson(*values), 6)}


def yardsticks(learnt: Sequence[Example], checked: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """Spearman's correlation of the share of words that two texts have in common; to say always the same has 0."""
    shared = [overlap(example.text, example.pair) for example in checked]
    return {"constant": 0.0, "overlap": round(spearman(shared, [example.value for example in checked]), 6)}


@TASKS.add(
    "similarity",
    title="Semantic textual similarity",
    zh=("语义相似度", "用一个数说明两段文字的意思有多接近（回归）。"),
    paper="Cer et al. 2017; Devlin et al. 2018, section 4.1",
    settings=Settings,
    traits={"pools"},
    order=5,
    holds=("text", "pair", "value"),
    columns={
        "text": ("text", "sentence1", "句子1", "文本1"),
        "pair": ("pair", "sentence2", "句子2", "文本2"),
        "value": ("value", "score", "similarity", "label", "分数", "相似度"),
    },
    names=False,
    head="sequence",
    outputs=lambda classes: 1,
    loss=of_values,
    predict=predict,
    measure=measure,
    yardsticks=yardsticks,
    score="spearman",
)
def similarity(example: Example, s: Settings, reader: Reader) -> list[Unit]:
    """Says by a number how much two texts mean the same (regression)."""
    return [pair_unit(example.text, example.pair, reader, value=example.value)]
