"""Multiple choice: which of several texts goes with another.

Each choice stands in a row of its own behind the text, one number is given for each, and a softmax over the rows of one
question says which is right (Devlin et al. 2018, section 4.4).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lab.catalog import TASKS
from lab.examples import Example, Unit
from lab.settings import Settings
from lab.tasks.parts.batching import stacked
from lab.tasks.parts.choosing import likeliest, measure
from lab.tasks.parts.losses import of_choices
from lab.tasks.parts.pairs import overlap, pair_unit
from lab.tasks.parts.reader import Reader


def yardsticks(learnt: Sequence[Example], checked: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """Accuracy of guessing evenly, and of the choice that shares most words with the text."""
    even = float(np.mean([1 / len(example.choices) for example in checked]))
    shared = [
        np.argmax([overlap(example.text, choice) for choice in example.choices]) == example.label for example in checked
    ]
    return {"even": round(even, 6), "overlap": round(float(np.mean(shared)), 6)}


@TASKS.add(
    "choice",
    title="Multiple choice",
    zh=("多项选择", "在几个选项中选出与文字相配的一个。"),
    paper="Devlin et al. 2018, section 4.4; Zellers et al. 2018",
    settings=Settings,
    traits={"pools"},
    order=6,
    holds=("text", "choices", "label"),
    columns={
        "text": ("text", "question", "premise", "context", "文本", "问题", "题目"),
        "choices": ("choices", "options", "endings", "选项"),
        "label": ("label", "answer", "标签", "答案"),
    },
    names=False,
    head="sequence",
    outputs=lambda classes: 1,
    loss=of_choices,
    predict=likeliest,
    measure=measure,
    yardsticks=yardsticks,
    score="accuracy",
)
def choice(example: Example, s: Settings, reader: Reader) -> list[Unit]:
    """Finds which of several texts goes with another."""
    rows = [pair_unit(example.text, text, reader).exercise for text in example.choices]
    together = stacked(rows, reader.vocabulary.pad)
    return [replace(Unit(exercise=together), label=example.label or 0)]
