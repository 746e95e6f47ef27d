"""Settings of training that change nothing in a run: its optimizer, its schedule or its model has no such thing."""

from lab.catalog import MODELS, OBJECTIVES, TASKS
from lab.published import CONSTANT, LACKS
from lab.runs.run import ANYWHERE, Run

BY_GRADIENT = (  # settings of training that a model which counts does not have
    "optimizer",
    "learning_rate",
    "warmup",
    "schedule",
    "floor",
    "weight_decay",
    "beta1",
    "beta2",
    "epsilon",
    "clip",
    "loss_factor",
    "init_std",
    "precision",
)


def unread(run: Run) -> dict[str, tuple[str, str]]:
    """The settings by name, and what it is that does not have them, in English and Chinese."""
    optimizer = run.plan.optimizer
    lacking = dict.fromkeys(LACKS.get(optimizer, ()), (optimizer, optimizer))
    if run.plan.schedule == CONSTANT:
        lacking["floor"] = "a constant schedule", "恒定的学习率"
    if not run.onward:
        what = TASKS[run.task] if run.task else OBJECTIVES[run.objective]
        lacking["overlap"] = what.title, what.title_zh
    elif run.plan.packing != ANYWHERE:
        lacking["overlap"] = f"packing {run.plan.packing}", f"打包方式 {run.plan.packing}"
    if "counts" in MODELS[run.model].traits:
        lacking |= dict.fromkeys((*BY_GRADIENT, "overlap"), ("a model that counts", "靠计数学习的模型"))
    return lacking
