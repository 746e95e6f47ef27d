"""Pretraining: a model that has read much without labels learns a task from few."""

from dataclasses import dataclass

from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimSettings, TaskScore
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Pretraining(ClaimSettings):
    """How much both arms learn from labels."""

    labels: int = knob(100, "Label budget: labelled examples", "标注预算：带标签的样本数", low=2, high=1_000_000)
    tuning_steps: int = knob(150, "Steps of fine-tuning", "微调步数", low=1, high=1_000_000)


@CLAIMS.add(
    "pretraining",
    title="Pretraining",
    zh=("预训练", "标注很少时，预训练过的模型得分高于随机初始化的同形模型（命名实体识别）。"),
    paper="Radford et al. 2018, table 5; Howard and Ruder 2018, section 5",
    settings=Pretraining,
    found=(
        "a mean score of 74.7 over the tasks of the table with pretraining, and of 59.9 without",
        "表中各任务的平均得分：有预训练 74.7，没有预训练 59.9",
    ),
    says="higher",
    order=6,
)
def pretraining(s: Pretraining) -> tuple[Arm, Arm]:
    """With few labels, a pretrained model finds named entities better than one that starts from random weights."""
    return _of(("pretrained", "预训练"), s, fresh=False), _of(("random weights", "随机初始化"), s, fresh=True)


def _of(title: tuple[str, str], s: Pretraining, *, fresh: bool) -> Arm:
    score = TaskScore(task="tokens", corpus="town_entities", labels=s.labels, steps=s.tuning_steps, fresh=fresh)
    return Arm(title=title, model="bert", measure=score)
