"""The mismatch of masking: 80/10/10 beside 100/0/0 and others, asked about tokens that they see, and fine-tuned."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from lab.bench.arms.process import threads_of, versions
from lab.catalog import BENCHMARKS, TASKS
from lab.experiments.masking import VIEWS, Arm, Measured, measured, run_of
from lab.experiments.starts import Experiment
from lab.runs.tuning import FROZEN, FULL
from lab.settings import Settings, knob, listed
from lab.training.run_request import command, repeated


@dataclass(frozen=True, kw_only=True)
class Maskings(Settings):
    """Which shares, how long each is pretrained, and how it is fine-tuned."""

    arms: str = knob(
        "80/10/10,100/0/0,80/0/20,80/20/0",
        "Masked/kept/random of the asked tokens in percent, with commas between",
        "目标中掩码/保留/随机的百分比，以逗号分隔",
    )
    seeds: int = knob(3, "Seeds of each arm", "每组的随机种子数", low=1, high=100)
    steps: int = knob(1000, "Steps of pretraining", "预训练步数", low=1, high=1_000_000)
    task: str = knob("tokens", "Task", "任务")
    labelled: str = knob("town_entities", "Corpus of the task", "任务的语料")
    labels: int = knob(100, "Label budget", "标注预算", low=2, high=1_000_000)
    tuning_steps: int = knob(200, "Steps of fine-tuning", "微调步数", low=1, high=1_000_000)
    learning_rate: float = knob(1e-3, "Learning rate of full fine-tuning", "全部微调的学习率", low=1e-6, high=1.0)
    frozen_rate: float = knob(8e-3, "Learning rate of the head alone", "只训练输出层的学习率", low=1e-6, high=1.0)
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)

    def check(self) -> None:
        for arm in self.named:
            arm.check()

    @property
    def named(self) -> list[Arm]:
        """The arms. Raises SettingsError for what is none."""
        return [Arm(name) for name in listed(self.arms)] or [Arm("")]


@BENCHMARKS.add(
    "masking",
    title="The mismatch of masking",
    zh=("掩码的失配", "80/10/10 与 100/0/0：看得见的词元模型怎么说，微调后得分如何。"),
    settings=Maskings,
    order=13,
)
def masking(
    corpus: tuple[str, dict[str, Any]], s: Maskings, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """What models say of masked, kept and random tokens, and their scores when fine-tuned, by the shares of masking."""
    threads = threads_of(s.threads)
    pretrained = {"steps": s.steps, "threads": threads}
    experiment = Experiment(
        task=TASKS[s.task].name,
        corpus=s.labelled,
        budgets=[s.labels],
        seeds=range(s.seeds),
        training={"steps": s.tuning_steps, "batch": 16, "threads": threads},
    )
    models = list[Measured]()
    for model in measured(
        s.named, experiment.seeds, corpus, pretrained, experiment, {FULL: s.learning_rate, FROZEN: s.frozen_rate}
    ):
        models.append(model)
        say(f"{model.arm}, seed {model.seed}: {_figures(model)}")
    document = {
        "benchmark": "masking",
        "command": repeated("masking", corpus[0], s, Maskings),
        "task": s.task,
        "score": TASKS[s.task].score,
        "corpus": corpus[0],
        "labelled": s.labelled,
        "pretrained": [command(run_of(arm, *corpus, pretrained)) for arm in s.named],
        "measured": [asdict(model) for model in models],
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, _lines(models)


def _figures(model: Measured) -> str:
    said = ", ".join(f"{view} {model.answers[view].right:.3f}" for view in VIEWS)
    return f"right where {said}; " + ", ".join(f"{how} {score:.3f}" for how, score in model.scores.items())


def _lines(models: Sequence[Measured]) -> list[str]:
    """A row for each arm, medians over seeds."""
    arms: dict[str, list[Measured]] = {}
    for model in models:
        arms.setdefault(model.arm, []).append(model)
    rows = []
    for arm, those in arms.items():
        views = (f"{view} {median(model.answers[view].right for model in those):.3f}" for view in VIEWS)
        scores = (f"{how} {median(model.scores[how] for model in those):.3f}" for how in those[0].scores)
        rows.append(f"{arm:10} right where {', '.join(views)}   score {', '.join(scores)}")
    return rows
