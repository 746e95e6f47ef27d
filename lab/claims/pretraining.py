"""Pretraining: a model that has read much without labels learns a task from few."""

from lab.catalog import CLAIMS
from lab.claim import ENTITY_F1, Arm, TaskScore, TunedSettings


@CLAIMS.add(
    "pretraining",
    title="Pretraining",
    zh=("预训练", "标注很少时，预训练过的模型得分高于随机初始化的同形模型（命名实体识别）。"),
    paper="Radford et al. 2018, table 5; Howard and Ruder 2018, section 5",
    settings=TunedSettings,
    found=(
        "a mean score of 74.7 over the tasks of the table with pretraining, and of 59.9 without",
        "表中各任务的平均得分：有预训练 74.7，没有预训练 59.9",
    ),
    says="higher",
    order=6,
)
def pretraining(s: TunedSettings) -> tuple[Arm, Arm]:
    """With few labels, a pretrained model finds named entities better than one that starts from random weights."""
    return _of(("pretrained", "预训练"), s, fresh=False), _of(("random weights", "随机初始化"), s, fresh=True)


def _of(title: tuple[str, str], s: TunedSettings, *, fresh: bool) -> Arm:
    score = TaskScore(
        task="tokens", score=ENTITY_F1, corpus="town_entities", labels=s.labels, steps=s.tuning_steps, fresh=fresh
    )
    return Arm(title=title, model="bert", measure=score)
