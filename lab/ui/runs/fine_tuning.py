"""From the Fine-tune page's form to the runs of one comparison: checked, and within the limits.

The arms of a comparison agree in task, texts, label budget, steps and seed. They differ in where they start, at a
pretrained run or at random weights, and in what of the model moves.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.analysis.forecast import forecast
from lab.analysis.labelled_rows import LabelledRows, labelled_rows
from lab.catalog import MODELS, OBJECTIVES, TASKS, TRAITS, fits, missing
from lab.data.labelled_batches import CHECKED
from lab.entries import TaskEntry
from lab.runs.finding import find_run
from lab.runs.folder import RunFolder
from lab.runs.run import PRETRAIN, Run, Training, may_pool, reads_both_ways
from lab.runs.tuning import HOW, ONLY_OF
from lab.runs.vocabulary_size import vocabulary_size
from lab.serve.limits import bearable
from lab.serve.ownership import owner_of
from lab.settings import SettingsError
from lab.training import run_request
from lab.ui.runs.labelled_texts import LabelledTexts, budget_of, labelled
from lab.ui.runs.plan import TRAITS_ZH, training
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import readable, saved

RANDOM = "random"  # the starting point that is no run
BETWEEN = "*"  # the names of several choices
MOST = 4  # arms of a comparison
EPOCHS = 50

_read = Kept(64)  # rows by what decides them, whoever asks: the page opens with the same for everybody


def tunable(run: Run, task: str = "") -> bool:
    """Whether a run can be fine-tuned for a task, or for any."""
    return run.task is None and any(suits(run, entry) for entry in TASKS if task in ("", entry.name))


def first_task(run: Run) -> str:
    """The first of the tasks that a run can be fine-tuned for; nothing where there is none."""
    return next((name for name in TASKS.names() if tunable(run, name)), "")


def suits(run: Run, task: TaskEntry) -> bool:
    """Whether a run's family can take a task; who is to write must have learnt to."""
    return fits(MODELS[run.model], task) and (not task.writes or OBJECTIVES[run.objective].writes)


def untunable(run: Run, task: str = "classify") -> SettingsError:
    """Why a run cannot be."""
    model, wanted = MODELS[run.model], TASKS[task]
    if run.task is not None:
        return SettingsError(
            f"{model.title} has been fine-tuned already: fine-tuning starts from a pretrained run",
            f"{model.title_zh} 已经微调过：微调要从预训练的模型开始",
        )
    lacking = sorted(missing(model, wanted))
    objective = OBJECTIVES[run.objective]
    why = "; ".join(TRAITS[name] for name in lacking) or f"a way to write ({objective.title} teaches none)"
    why_zh = "、".join(TRAITS_ZH[name] for name in lacking) or f"生成的能力（{objective.title_zh}不训练生成）"
    writing = TASKS["seq2seq"]
    if wanted is not writing and suits(run, writing):  # T5's way: even the name of a class is written as text
        why += f"; it writes its answers: choose {writing.title}"
        why_zh += f"；它会写出答案：请选择{writing.title_zh}"
    return SettingsError(
        f"{model.title} cannot be fine-tuned for {wanted.title.lower()}: it lacks {why}",
        f"{model.title_zh} 不能微调用于{wanted.title_zh}：它没有{why_zh}",
    )


def names_in(choice: Any) -> list[str]:
    """The names in a choice of several, each once."""
    return [*dict.fromkeys(name for name in str(choice or "").split(BETWEEN) if name)]


@dataclass(frozen=True)
class Comparison:
    """The runs that are compared, the rows that each of them makes of its texts, what they learn from, and how many of
    these examples."""

    runs: list[Run]
    rows: list[LabelledRows]
    texts: LabelledTexts
    learnt: int


def finetuning(asked: Mapping[str, Any], visitor: str) -> Comparison:
    """The arms that a visitor asks for: from each starting point in each way. All learn the same examples in the same
    order for the same number of steps; random weights have the shape of the first run."""
    if not asked["parent"]:
        raise SettingsError("there is no pretrained run yet: pretrain one first", "还没有预训练：请先预训练一个模型")
    task = TASKS[str(asked.get("task") or "classify")]
    beside = [name for name in names_in(asked.get("beside", RANDOM)) if name not in ("none", asked["parent"])]
    first = _parent(str(asked["parent"]), visitor, task)
    starts = [(first, False), *((first, True) if n == RANDOM else (_parent(n, visitor, task), False) for n in beside)]
    ways = names_in(asked.get("how")) or [HOW[0]]
    if len(starts) * len(ways) > MOST:
        raise SettingsError(
            f"{len(starts)} starting points in {len(ways)} ways are {len(starts) * len(ways)} runs; "
            f"at most {MOST} are compared",
            f"{len(starts)} 个起点、{len(ways)} 种方式共 {len(starts) * len(ways)} 个训练；最多比较 {MOST} 个",
        )
    budget = budget_of(asked)
    texts = labelled(asked, task, budget)
    learnt = min(texts.learnt, budget or texts.learnt)
    common = _common(asked, first, task, texts, learnt)
    runs = [_arm(visitor, start, fresh, how, common) for start, fresh in starts for how in ways]
    for run in runs:
        bearable(run, vocabulary_size(run))
    rows = {run.parent: _rows(run, texts) for run in {run.parent: run for run in runs}.values()}
    return Comparison(runs, [rows[run.parent] for run in runs], texts, learnt)


def seconds_of(comparison: Comparison, runs: Sequence[Run]) -> list[float]:
    """About how long the runs of a comparison will take, or others like them."""
    held = comparison.texts.held or CHECKED
    return [
        forecast(run, vocabulary_size(run), rows, held).seconds for run, rows in zip(runs, comparison.rows, strict=True)
    ]


def by_untaught_token(run: Run) -> bool:
    """Whether a run sums a text up by its first token though its pretraining in the lab asked nothing of that token."""
    parent = find_run(run.parent or "").run
    mean_instead = run.task is not None and may_pool(MODELS[run.model], TASKS[run.task])
    return reads_both_ways(run) and mean_instead and parent.pair is None and parent.kind == PRETRAIN


def _parent(name: str, visitor: str, task: TaskEntry) -> RunFolder:
    run = readable(name, visitor).run
    if not tunable(run, task.name):
        raise untunable(run, task.name)
    return saved(name, visitor)


def _common(
    asked: Mapping[str, Any], first: RunFolder, task: TaskEntry, texts: LabelledTexts, learnt: int
) -> dict[str, Any]:
    """What all arms agree in."""
    values = run_request.FINETUNING | dict(asked.get("training", {}))
    tuning = {**asked.get("tuning", {}), "labels": budget_of(asked)}
    chosen: dict[Any, Any] = {"corpus": texts.settings, "tuning": tuning, "training": training(values, steps=1)}
    drafted = {**chosen, "tuning": run_request.possible_tuning(tuning, first.run, task.name)}
    draft = run_request.finetuning(first, task=task.name, corpus=texts.corpus, chosen=drafted, parent=first.name)
    rows = learnt * _rows(draft, texts).each
    chosen["training"] = training(values, steps=steps_of(asked.get("epochs"), rows, values))
    return {"task": task.name, "corpus": texts.corpus, "chosen": chosen, "seed": asked.get("seed", 0)}


def _rows(run: Run, texts: LabelledTexts) -> LabelledRows:
    def read() -> LabelledRows:
        tokenizer = find_run(run.parent or "").tokenizer()
        assert tokenizer is not None
        return labelled_rows(run, tokenizer, texts.first)

    settings = (run.shape, run.task_settings, run.tuning_settings, run.corpus_settings)
    return _read.get((run.parent, run.task, run.corpus, repr(settings), run.seed, run.plan.batch), read)


def _arm(visitor: str, start: RunFolder, fresh: bool, how: str, common: Mapping[str, Any]) -> Run:
    tuning = {name: value for name, value in common["chosen"]["tuning"].items() if ONLY_OF.get(name, how) == how}
    chosen = {
        **common["chosen"],
        "tuning": {**run_request.possible_tuning(tuning, start.run, common["task"]), "how": how},
    }
    about = {"owner": owner_of(visitor), "parent": start.name, "fresh": fresh}
    return run_request.finetuning(start, **{**common, "chosen": chosen, **about})


def steps_of(epochs: Any, learnt: float, values: Mapping[str, Any]) -> int:
    """The training steps in which every one of the rows that are learnt from is read so many times."""
    if isinstance(epochs, bool) or not isinstance(epochs, int | float) or not 1 <= epochs <= EPOCHS:
        raise SettingsError(f"choose between 1 and {EPOCHS} epochs", f"请选择 1 到 {EPOCHS} 轮")
    batch = Training.load({"steps": 1, **values}).batch
    return max(1, math.ceil(epochs * learnt / batch))
