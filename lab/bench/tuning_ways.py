"""Ways of fine-tuning: the score over how many parameters move, each way at a learning rate that suits it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from lab.bench.arms.process import threads_of, versions
from lab.catalog import BENCHMARKS, TASKS
from lab.experiments.starts import Experiment, Start, check_budgets, told
from lab.experiments.ways import Tried, Way, tried
from lab.runs.finding import find_run
from lab.runs.tuning import ADAPTER, BITFIT, FROZEN, FULL, GRADUAL, LAST, LORA, PREFIX
from lab.settings import Settings, SettingsError, knob, listed
from lab.training.run_request import repeated

WAYS = [
    Way(FROZEN, {"how": FROZEN}),
    Way(BITFIT, {"how": BITFIT}),
    Way(PREFIX, {"how": PREFIX}),
    Way(ADAPTER, {"how": ADAPTER}),
    Way(LORA, {"how": LORA}),
    *(Way(f"{LAST} {blocks}", {"how": LAST, "blocks": blocks}) for blocks in (1, 2)),
    Way(GRADUAL, {"how": GRADUAL}),
    Way(FULL, {"how": FULL}),
]


@dataclass(frozen=True, kw_only=True)
class TuningWays(Settings):
    """From which run, for which task, with how many labels, and at which learning rates."""

    run: str = knob("bert-town", "Run to start from", "起点")
    task: str = knob("classify", "Task", "任务")
    budgets: str = knob("100", "Label budgets, with commas between", "标注预算，以逗号分隔")
    seeds: int = knob(3, "Seeds of each way", "每种方式的随机种子数", low=1, high=100)
    rates: str = knob("5e-4,2e-3,8e-3", "Learning rates to choose from, with commas between", "备选学习率，以逗号分隔")
    steps: int = knob(150, "Steps of each run", "每次训练的步数", low=1, high=1_000_000)
    batch: int = knob(16, "Batch size: rows per step", "批大小：每步样本数", low=1, high=4096)
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)

    def check(self) -> None:
        try:
            fine = bool(self.budget) and min(self.budget) >= 2 and min(self.rate, default=0.0) > 0
        except ValueError:
            fine = False
        if not fine or max(self.rate) > 1:
            raise SettingsError(
                "give whole numbers of at least 2 as budgets, and learning rates between 0 and 1, with commas between",
                "标注预算应为不小于 2 的整数，学习率应在 0 与 1 之间，均以逗号分隔",
            )

    @property
    def budget(self) -> list[int]:
        """The label budgets."""
        return [int(word) for word in listed(self.budgets)]

    @property
    def rate(self) -> list[float]:
        """The learning rates."""
        return [float(word) for word in listed(self.rates)]


@BENCHMARKS.add(
    "tuning_ways",
    title="Ways of fine-tuning",
    zh=("微调的各种方式", "同一起点与同样的标注：得分随训练的参数量而变，每种方式各用合适的学习率。"),
    settings=TuningWays,
    order=12,
)
def tuning_ways(
    corpus: tuple[str, dict[str, Any]], s: TuningWays, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Scores over the parameters that move: all, the last blocks, LoRA, adapters, a prefix, the biases, the head."""
    experiment = Experiment(
        task=TASKS[s.task].name,
        corpus=corpus[0],
        corpus_settings=corpus[1],
        budgets=s.budget,
        seeds=range(s.seeds),
        training={"steps": s.steps, "batch": s.batch, "threads": threads_of(s.threads)},
    )
    check_budgets(experiment)
    start = Start(s.run, find_run(s.run))
    trials = list[Tried]()
    for trial in tried(experiment, start, WAYS, s.rate, max(s.budget)):
        trials.append(trial)
        what = "sweep" if trial.swept else f"seed {trial.outcome.seed}"
        say(f"{trial.way}, {trial.learning_rate:g}, {trial.outcome.budget:,} labels, {what}: {trial.outcome.score:.3f}")
    document = {
        "benchmark": "tuning_ways",
        "command": repeated("tuning_ways", corpus[0], s, TuningWays),
        "task": s.task,
        "score": TASKS[s.task].score,
        "corpus": experiment.corpus,
        "start": told(start),
        "tried": [asdict(trial) for trial in trials],
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, _lines(trials)


def _lines(trials: Sequence[Tried]) -> list[str]:
    """A row for each way and budget."""
    cells: dict[tuple[str, int], list[Tried]] = {}
    for trial in trials:
        if not trial.swept:
            cells.setdefault((trial.way, trial.outcome.budget), []).append(trial)
    return [
        f"{way:8} {one[0].outcome.moving:>10,} parameters  rate {one[0].learning_rate:<7g} {budget:>6,} labels  "
        f"{median(trial.outcome.score for trial in one):.3f}"
        for (way, budget), one in cells.items()
    ]
