"""Sentence classification: one label for a whole text.

A text stands between [CLS] and [SEP] or, where the frame is "closed", before [SEP] and [CLS], a segment of its own. Of
one that is longer than the context the end is read, where a verdict usually stands. Sun et al. 2019 find the end better
than the beginning for reviews, too.
"""

from lab.catalog import TASKS
from lab.examples import Example, Unit
from lab.settings import Settings
from lab.tasks.parts.choosing import likeliest, measure, yardsticks
from lab.tasks.parts.losses import of_classes
from lab.tasks.parts.reader import Reader, framed, shown


@TASKS.add(
    "classify",
    title="Sentence classification",
    zh=("句子分类", "为整段文字选一个类别。"),
    paper="Devlin et al. 2018, section 4.1",
    settings=Settings,
    traits={"pools"},
    order=1,
    holds=("text", "label"),
    columns={"text": ("text", "sentence", "文本", "句子", "内容", "评论"), "label": ("label", "标签", "类别")},
    names=True,
    head="sequence",
    outputs=lambda classes: classes,
    loss=of_classes,
    predict=likeliest,
    measure=measure,
    yardsticks=yardsticks,
    score="accuracy",
)
def classify(example: Example, s: Settings, reader: Reader) -> list[Unit]:
    """Finds one label for a whole text."""
    ids = reader.ids(example.text)
    kept = ids[max(0, len(ids) - reader.room) :]
    return [shown(framed(kept, reader), reader, label=example.label or 0)]
