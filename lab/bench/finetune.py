"""Fine-tuning: what a start is worth, over label budgets and seeds, beside random weights and beside baselines."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lab.bench.arms.process import threads_of, versions
from lab.catalog import BENCHMARKS, TASKS
from lab.experiments.starts import Band, Experiment, Outcome, bands, check_budgets, outcomes, starts_of, told
from lab.runs.finding import find_run
from lab.runs.tuning import FULL, HOW, MEAN, OWN
from lab.settings import Settings, SettingsError, knob, listed
from lab.training.run_request import repeated

PLAIN = ("file", "rows")  # readers of any text: a file that is named here holds examples


@dataclass(frozen=True, kw_only=True)
class Finetune(Settings):
    """From which runs, for which task, with how many labels, and how long."""

    runs: str = knob("bert-town,albert-town,gpt-town", "Runs to start from, with commas between", "起点，以逗号分隔")
    task: str = knob("classify", "Task", "任务")
    budgets: str = knob("10,30,100,300,1000", "Label budgets, with commas between", "标注预算，以逗号分隔")
    seeds: int = knob(3, "Seeds of each arm", "每组的随机种子数", low=1, high=100)
    steps: int = knob(150, "Steps of each run", "每次训练的步数", low=1, high=1_000_000)
    batch: int = knob(16, "Batch size: rows per step", "批大小：每步样本数", low=1, high=4096)
    learning_rate: float = knob(5e-4, "Learning rate", "学习率", low=1e-6, high=1.0)
    how: str = knob(FULL, "What is trained", "训练哪些参数", choices=HOW)
    pooling: str = knob(OWN, "Pooling: the model's own token, or the mean of all", "池化", choices=(OWN, MEAN))
    test: str = knob("", "File to check on, where the corpus is a file", "语料为文件时的测试文件")
    text_column: str = knob("text", "Its column of the text", "该文件中文本所在的列")
    label_column: str = knob("label", "Its column of the label", "该文件中标签所在的列")
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)

    def check(self) -> None:
        if not all(word.isdecimal() and int(word) >= 2 for word in listed(self.budgets)) or not listed(self.budgets):
            raise SettingsError(
                f"budgets are whole numbers of at least 2 with commas between, not {self.budgets!r}",
                f"标注预算应为不小于 2 的整数，以逗号分隔，而不是 {self.budgets!r}",
            )


@BENCHMARKS.add(
    "finetune",
    title="Fine-tuning from several starts",
    zh=("从不同起点微调", "同样的标注数据，从不同的预训练与随机权重出发：按标注预算与随机种子列出得分。"),
    settings=Finetune,
    order=11,
)
def finetune(
    corpus: tuple[str, dict[str, Any]], s: Finetune, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Scores of the same few labels learnt from random weights and from runs, medians over seeds with their bands."""
    experiment = experiment_of(corpus, s)
    if not listed(s.runs):
        raise SettingsError("name the runs to start from with --runs", "请用 --runs 给出作为起点的训练")
    check_budgets(experiment)
    starts = starts_of([find_run(name) for name in listed(s.runs)])
    measured = list[Outcome]()
    for outcome in outcomes(experiment, starts):
        measured.append(outcome)
        say(f"{outcome.start}, {outcome.budget:,} labels, seed {outcome.seed}: {outcome.score:.3f}")
    table = bands(measured)
    document = {
        "benchmark": "finetune",
        "command": repeated("finetune", corpus[0], s, Finetune),
        "task": s.task,
        "score": TASKS[s.task].score,
        "corpus": experiment.corpus,
        "starts": [told(start) for start in starts],
        "bands": [{"start": start, "budget": budget, **asdict(band)} for (start, budget), band in table.items()],
        "outcomes": [asdict(outcome) for outcome in measured],
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, lines(table, measured[-1], TASKS[s.task].score)


def experiment_of(corpus: tuple[str, dict[str, Any]], s: Finetune) -> Experiment:
    """What all arms have in common. Raises SettingsError for a task that there is not."""
    name, values = corpus
    if name in PLAIN:
        columns = {"text_column": s.text_column, "label_column": s.label_column}
        name, values = "labelled", {"path": values["path"], "test": s.test, **columns}
    return Experiment(
        task=TASKS[s.task].name,
        corpus=name,
        corpus_settings=values,
        budgets=[*dict.fromkeys(int(word) for word in listed(s.budgets))],
        seeds=range(s.seeds),
        training={
            "steps": s.steps,
            "batch": s.batch,
            "learning_rate": s.learning_rate,
            "threads": threads_of(s.threads),
        },
        tuning={"how": s.how, "pooling": s.pooling},
    )


def lines(table: dict[tuple[str, int], Band], last: Outcome, score: str) -> list[str]:
    """A row for each start, a column for each budget; below it, whoever has not read the examples."""
    starts, budgets = dict.fromkeys(start for start, _ in table), dict.fromkeys(budget for _, budget in table)
    head = [f"{score.replace('_', ' ')}, median (least to greatest)", *(f"{budget:,} labels" for budget in budgets)]
    rows = [head, *([start, *(_cell(table[start, budget]) for budget in budgets)] for start in starts)]
    lacking = ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in last.baselines.items())
    return [*_aligned(rows), f"baselines with {last.budget:,} labels: {lacking}"]


def _cell(band: Band) -> str:
    return f"{band.median:.3f} ({band.low:.3f} to {band.high:.3f})"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
