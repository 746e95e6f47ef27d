"""Sentence pair classification: one label for two texts, as whether one follows from the other.

Both stand in one row, [CLS] text [SEP] pair [SEP], so that their tokens look at each other in every layer.
"""

from lab.catalog import TASKS
from lab.examples import Example, Unit
from lab.settings import Settings
from lab.tasks.parts.choosing import likeliest, measure, yardsticks
from lab.tasks.parts.losses import of_classes
from lab.tasks.parts.pairs import pair_unit
from lab.tasks.parts.reader import Reader


@TASKS.add(
    "pairs",
    title="Sentence pair classification",
    zh=("句对分类", "为两段文字选一个类别，例如后一句能否由前一句推出。"),
    paper="Devlin et al. 2018, section 4.1; Bowman et al. 2015",
    settings=Settings,
    traits={"pools"},
    order=2,
    holds=("text", "pair", "label"),
    columns={
        "text": ("text", "premise", "sentence1", "question1", "句子1", "文本1", "前提"),
        "pair": ("pair", "hypothesis", "sentence2", "question2", "句子2", "文本2", "假设"),
        "label": ("label", "标签", "类别", "关系"),
    },
    names=True,
    head="sequence",
    outputs=lambda classes: classes,
    loss=of_classes,
    predict=likeliest,
    measure=measure,
    yardsticks=yardsticks,
    score="accuracy",
)
def pairs(example: Example, s: Settings, reader: Reader) -> list[Unit]:
    """Finds one label for two texts, such as whether one follows from the other."""
    return [pair_unit(example.text, example.pair, reader, label=example.label or 0)]
