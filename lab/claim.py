"""A claim of the literature: two arms that differ in one thing, and what is measured of both.

The arms are trained alike: on the same text, for as many steps, from the same seeds. A file in ``lab/claims/`` says
what they are; how they are trained and measured is the same for all of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from lab.registry import Entry
from lab.settings import Settings, knob

ENTITY_F1 = ("entity F1", "实体 F1")  # the score of tokens whose tags begin and go on


@dataclass(frozen=True, kw_only=True)
class ClaimSettings(Settings):
    """How long both arms are pretrained."""

    steps: int = knob(3000, "Steps of pretraining", "预训练步数", low=1, high=1_000_000)
    batch: int = knob(32, "Batch size: rows per step", "批大小：每步样本数", low=1, high=4096)


@dataclass(frozen=True, kw_only=True)
class TunedSettings(ClaimSettings):
    """And how much they learn from labels."""

    labels: int = knob(100, "Label budget: labelled examples", "标注预算：带标签的样本数", low=2, high=1_000_000)
    tuning_steps: int = knob(150, "Steps of fine-tuning", "微调步数", low=1, high=1_000_000)


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The loss on text that was held out, in nats per token that is asked."""

    percent: ClassVar[bool] = False
    share: float | None = None  # of the tokens that are asked about then, where not as many as in training

    @property
    def title(self) -> tuple[str, str]:
        """What is measured, in English and Chinese."""
        if self.share is None:
            return "validation loss, nats per token", "验证损失（奈特/词元）"
        masked = f"{100 * self.share:.0f} %"
        return f"validation loss with {masked} masked, nats per token", f"掩码 {masked} 时的验证损失（奈特/词元）"


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """How often a model is right about sentence pairs of another objective than the one that it has learnt."""

    title: ClassVar[tuple[str, str]] = (
        "accuracy on the other objective's sentence pairs",
        "在另一目标的句对上的准确率",
    )
    percent: ClassVar[bool] = True
    objective: str


@dataclass(frozen=True, kw_only=True)
class TaskScore:
    """The score of a task after fine-tuning on a few labelled examples, from the weights of the run or, ``fresh``, from
    random ones. ``score`` is what the task calls it, in English and Chinese."""

    percent: ClassVar[bool] = True
    task: str
    score: tuple[str, str]
    corpus: str
    labels: int
    steps: int
    fresh: bool = False

    @property
    def title(self) -> tuple[str, str]:
        """What is measured, in English and Chinese."""
        score, score_zh = self.score
        return (
            f"{score} on held-out texts after fine-tuning on {self.labels} labelled ones",
            f"用 {self.labels} 条标注微调后，在留出文本上的{score_zh}",
        )


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """The share of 4-grams that a text which the model writes holds already (seq-rep-4, Welleck et al. 2019)."""

    title: ClassVar[tuple[str, str]] = ("repeated 4-grams", "重复的四元组比例")
    percent: ClassVar[bool] = True
    chain: Sequence[tuple[str, dict[str, Any]]]  # samplers with their settings
    texts: int
    tokens: int  # of each, at most


Measure = Loss | PairAccuracy | TaskScore | Repetition


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One side of a claim: how a model is pretrained, with settings part by part, and what is measured of it."""

    title: tuple[str, str]  # English and Chinese
    model: str
    measure: Measure
    objective: str | None = None  # the model's own if left out
    pair: str | None = None
    chosen: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ClaimEntry(Entry):
    """A sentence of the literature, measured. ``build`` makes the two arms of the settings; the first is said to come
    out ``higher`` or ``lower`` than the second. ``found`` is what the paper has measured, in English and Chinese."""

    found: tuple[str, str]
    says: Literal["higher", "lower"]
    settings: type[ClaimSettings]
    corpus: str = "town_en"  # on which it is measured unless one names another
    corpus_settings: Mapping[str, Any] = field(default_factory=dict)
