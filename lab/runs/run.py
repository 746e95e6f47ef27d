"""A run's settings: what is trained on what, how long and how fast, with which seed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TASKS, TOKENIZERS, missing
from lab.entries import Masking, ModelEntry, ObjectiveEntry, TaskEntry
from lab.published import OPTIMIZERS, SCHEDULES
from lab.runs.earlier import as_begun, today
from lab.runs.tuning import MEAN, Tuning
from lab.settings import Settings, SettingsError, knob

PACKINGS = ANYWHERE, FULL_SENTENCES, DOC_SENTENCES = ("anywhere", "full_sentences", "doc_sentences")
FLOAT32, BFLOAT16 = "float32", "bfloat16"
PARTS_ZH = {
    "model": "模型",
    "objective": "训练目标",
    "pair": "句对目标",
    "task": "任务",
    "corpus": "语料",
    "tokenizer": "分词器",
}
PRETRAIN = "pretrain"
IMPORTED = "imported"  # the kind of a run, and of a tokenizer, that were made elsewhere
INITIAL_MASKING = 0.4  # of the lab's own recipe, in which it falls to the masking rate of the objective


@dataclass(frozen=True, kw_only=True)
class Training(Settings):
    """How long and how fast a run learns. The budget is a number of steps, or of seconds that the clock counts."""

    steps: int | None = knob(None, "Steps", "训练步数", low=1, high=10_000_000)
    seconds: float | None = knob(None, "Seconds", "训练秒数", low=1, high=1_000_000)
    batch: int = knob(32, "Batch size: rows per step", "批大小：每步样本数", low=1, high=4096)
    learning_rate: float | None = knob(
        None, "Learning rate, the model's own if left out", "学习率，缺省为模型的默认值", low=1e-6, high=1.0
    )
    warmup: float = knob(0.05, "Warm-up: share of the steps", "预热步数比例", low=0.0, high=0.9, step=0.01)
    weight_decay: float = knob(0.01, "Weight decay", "权重衰减", low=0.0, high=1.0)
    packing: str = knob(
        ANYWHERE,
        "Packing: rows of text end anywhere, between sentences, or at the end of a document too",
        "打包方式：每行文字止于任意处、句子之间，或不跨文档的句子之间",
        choices=PACKINGS,
    )
    overlap: bool = knob(
        True,
        "Overlapping rows, where the next token is asked: by one token, so that what follows the last is asked, too",
        "相邻两行重叠一个词元，预测下一个词元时使一行最后一个词元之后的词元也要预测",
    )
    clip: float = knob(1.0, "Gradient clipping: largest norm", "梯度裁剪：范数上限", low=0.01, high=1000.0)
    loss_factor: float = knob(
        1.0,
        "Loss factor: the loss is multiplied by it before the backward pass",
        "损失系数：反向传播前乘到损失上",
        low=0.001,
        high=10_000.0,
    )
    optimizer: str = knob("muon", "Optimizer", "优化器", choices=OPTIMIZERS)
    schedule: str = knob("linear", "Learning rate schedule", "学习率调度", choices=SCHEDULES)
    floor: float = knob(
        0.0, "Final learning rate, as a share of the largest", "最终学习率与最大学习率之比", low=0.0, high=1.0
    )
    beta1: float = knob(
        0.9, "Beta 1: decay of the gradient's mean", "beta 1：梯度均值的衰减", low=0.0, high=0.999, step=0.001
    )
    beta2: float = knob(
        0.98, "Beta 2: decay of the squares' mean", "beta 2：梯度平方均值的衰减", low=0.0, high=0.9999, step=0.001
    )
    epsilon: float = knob(1e-8, "Epsilon of the optimizer", "优化器的 epsilon", low=1e-20, high=1.0)
    init_std: float | None = knob(
        None,
        "Initialisation: standard deviation, by the hidden size if left out",
        "初始化的标准差，缺省时随隐藏维度而定",
        low=1e-4,
        high=1.0,
    )
    initial_masking: float | None = knob(
        None,
        "Initial masking rate, 40 % if left out; it falls evenly to the objective's own (masking ratio decay)",
        "起始掩码率，缺省为 40 %；训练中线性降到训练目标自己的掩码率（掩码率衰减）",
        low=0.01,
        high=1.0,
        step=0.01,
    )
    threads: int = knob(0, "Processor threads, 0 for all", "处理器线程数，0 为全部", low=0, high=256)
    device: str = knob("auto", "Device", "设备", choices=("auto", "cpu", "cuda"))
    precision: str = knob(
        FLOAT32, "Precision in which matrices are multiplied", "矩阵乘法的精度", choices=(FLOAT32, BFLOAT16)
    )

    def check(self) -> None:
        if (self.steps is None) == (self.seconds is None):
            raise SettingsError("give the run either steps or seconds", "请为训练指定步数或秒数，二者选一")


@dataclass(frozen=True, kw_only=True)
class Run(Settings):
    """Everything that decides a run's numbers, and what is worth knowing about where it came from."""

    kind: str = knob(PRETRAIN, "Kind", "类型", choices=(PRETRAIN, "finetune", IMPORTED))
    model: str
    shape: dict[str, Any] = field(default_factory=dict)
    objective: str = "mlm"  # a token objective; for fine-tuning, the one that the parent was trained with
    objective_settings: dict[str, Any] = field(default_factory=dict)
    pair: str | None = None
    pair_settings: dict[str, Any] = field(default_factory=dict)
    task: str | None = None
    task_settings: dict[str, Any] = field(default_factory=dict)
    tuning_settings: dict[str, Any] = field(default_factory=dict)  # of fine-tuning: what moves
    corpus: str = ""  # an imported run has none
    corpus_settings: dict[str, Any] = field(default_factory=dict)
    tokenizer: str = IMPORTED
    tokenizer_settings: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    seed: int = knob(0, "Seed", "随机种子", low=0, high=2**31 - 1)
    parent: str | None = None  # the run that fine-tuning starts from
    teacher: str | None = None  # the run whose model a pretrained one learns from, and whose tokenizer it takes
    neighbours: str | None = None  # the run whose vectors told its tokenizer which tokens are similar
    fresh: bool = False  # fine-tuning with the parent's shape and tokenizer, but from random weights
    title: str = ""
    owner: str = ""
    pinned: str = ""  # a sentence whose predictions are recorded while the run learns
    truths: list[str] = field(default_factory=list)  # what stands in its gaps, or goes on, where that is known
    comparison: str = ""  # runs that were started together, to be compared, bear the same mark
    created: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, values: Mapping[str, Any]) -> Self:
        """A run from its document, in which models and settings may still have earlier names."""
        model, shape = values.get("model"), values.get("shape")
        if isinstance(model, str) and isinstance(shape, Mapping):
            model, shape = today(model, shape)
            values = {**values, "model": model, "shape": shape}
        run = super().load(values)
        renamed: dict[str, Any] = {
            field: settings.renamed(getattr(run, field)) for field, settings in run._classes().items()
        }
        run = replace(run, **renamed)
        objective = run.settings_of("objective")
        return replace(run, training=as_begun(run.training, run.model, objective, run.onward, run.versions))

    def _classes(self) -> dict[str, type[Settings]]:
        """The settings classes of the run's parts, by the field that holds their values."""
        classes: dict[str, type[Settings]] = {
            "shape": MODELS[self.model].settings,
            "objective_settings": OBJECTIVES[self.objective].settings,
            "training": Training,
            "tuning_settings": Tuning,
        }
        classes |= {"task_settings": TASKS[self.task].settings} if self.task else {}
        return classes | ({"pair_settings": OBJECTIVES[self.pair].settings} if self.pair else {})

    def check(self) -> None:
        model, objective = MODELS[self.model], OBJECTIVES[self.objective]
        self.settings_of("model")  # all settings are parsed here, at the door, and kept
        if self.kind != IMPORTED and self.plan.packing != ANYWHERE and (self.pair or self.task):
            raise SettingsError(
                f"packing {self.plan.packing} is for a text without pairs or labels: leave one of them out",
                f"packing {self.plan.packing} 只用于没有句对和标签的文本：请去掉其中之一",
            )
        if "counts" in model.traits and self.plan.packing != ANYWHERE:
            raise SettingsError(
                f"{self.model} counts rows without padding: leave --packing out",
                f"{self.model} 只统计没有填充的行：请去掉 --packing",
            )
        _must_fit(model, objective)
        if objective.stage != "token":
            raise SettingsError(
                f"{self.objective} is a sentence pair objective: give it as --pair, beside a token objective",
                f"{self.objective} 是句对目标：请把它作为句对目标，另选一个词元目标",
            )
        if self.pair is not None:
            _must_fit(model, OBJECTIVES[self.pair])
            if OBJECTIVES[self.pair].stage != "pair" or objective.frame != "bounded":
                raise SettingsError(
                    f"{self.pair} cannot stand beside {self.objective}", f"{self.pair} 不能与 {self.objective} 并用"
                )
        assert self.tuning  # parsed at the door, too
        if self.task is not None:
            _must_fit(model, TASKS[self.task])
            if self.tuning.class_weights and not TASKS[self.task].names:
                raise SettingsError(
                    f"class weights are for classes that have names; {TASKS[self.task].title} has none: leave them out",
                    f"类别权重只用于有名称的类别；{TASKS[self.task].title_zh} 没有：请去掉",
                )
            if self.tuning.pooling == MEAN and not may_pool(model, TASKS[self.task]):
                raise SettingsError(
                    f"mean pooling is for tasks that sum a whole text up, and for transformers: {model.title} does "
                    f"not do so for {TASKS[self.task].title}; leave it out",
                    f"平均池化只用于需要概括整段文字的任务，且只用于 Transformer 模型："
                    f"{model.title_zh} 在{TASKS[self.task].title_zh}中不适用，请去掉",
                )
            if TASKS[self.task].writes and not objective.writes:
                raise SettingsError(
                    f"who learnt {self.objective} does not write: start from a run that learnt to go on or to answer",
                    f"用 {self.objective} 训练的模型不会写：请从学过续写或作答的训练开始",
                )
        if self.teacher is not None and (self.pair or self.task or objective.left_to_right):
            raise SettingsError(
                "a student learns by masked language modelling and nothing beside it: leave the teacher out, or "
                "choose such a model and no sentence pairs",
                "学生模型只学掩码语言模型：请不用教师，或换成这样的模型，并去掉句对目标",
            )

    def alike(self, other: Self) -> bool:
        """Whether another run is the same but for when and with what it was begun."""
        return self == replace(other, created=self.created, versions=self.versions)

    @cached_property
    def plan(self) -> Training:
        """The training settings."""
        return Training.load(self.training)

    @cached_property
    def tuning(self) -> Tuning:
        """What fine-tuning moves."""
        return Tuning.load(self.tuning_settings)

    @property
    def onward(self) -> bool:
        """Whether it pretrains by asking what comes next."""
        return self.kind == PRETRAIN and OBJECTIVES[self.objective].left_to_right

    @property
    def asks_last(self) -> bool:
        """Whether it is asked what follows the last token of a row, too. Rows in whole sentences do not overlap, nor do
        those of a model that counts what it is shown."""
        if not self.onward or "counts" in MODELS[self.model].traits:
            return False
        return self.plan.overlap and self.plan.packing == ANYWHERE

    @property
    def longest(self) -> int:
        """The most tokens that the model is shown at once: its context, or less where a fine-tuned one was told so."""
        context: int = self.settings_of("model").context
        return min(context, self.tuning.length or context) if self.task else context

    @property
    def learning_rate(self) -> float:
        """The highest learning rate of the run: the one that it names, else the one that suits its model."""
        return float(self.plan.learning_rate or MODELS[self.model].learning_rate)

    def objective_at(self, progress: float) -> Any:
        """The objective's settings when so much of the run is over, from 0 to 1: the masking rate falls evenly to its
        own, since who has few hints left learns sooner to look around (Yang et al. 2023, masking ratio decay). Where
        masks are drawn once and for all they stay."""
        settings = self.settings_of("objective")
        if not isinstance(settings, Masking) or not settings.dynamic or progress >= 1.0:
            return settings
        first = self.plan.initial_masking or max(INITIAL_MASKING, settings.share)
        return replace(settings, share=settings.share + (first - settings.share) * (1.0 - progress))

    def settings_of(self, what: Literal["model", "objective", "pair", "task", "corpus", "tokenizer"]) -> Any:
        """The checked settings of one of the run's parts."""
        if what not in self._parts:
            raise SettingsError(f"this run has no {what} of its own", f"这个训练没有自己的{PARTS_ZH[what]}")
        return self._parts[what]

    @cached_property
    def _parts(self) -> dict[str, Settings]:
        parts: dict[str, Settings] = {
            "model": MODELS[self.model].settings.load(self.shape),
            "objective": OBJECTIVES[self.objective].settings.load(self.objective_settings),
        }
        if self.pair is not None:
            parts["pair"] = OBJECTIVES[self.pair].settings.load(self.pair_settings)
        if self.task is not None:
            parts["task"] = TASKS[self.task].settings.load(self.task_settings)
        if self.kind != IMPORTED:
            parts["corpus"] = CORPORA[self.corpus].settings.load(self.corpus_settings)
        if self.tokenizer != IMPORTED:
            parts["tokenizer"] = TOKENIZERS[self.tokenizer].settings.load(self.tokenizer_settings)
        return parts


def may_pool(model: ModelEntry, task: TaskEntry) -> bool:
    """Whether mean pooling can take the place of the one token by which the model sums a text up for the task:
    recurrent models and static vectors sum up in ways of their own."""
    return task.head == "sequence" and model.paradigm not in ("recurrent", "static")


def reads_both_ways(run: Run) -> bool:
    """Whether a run's model is an encoder that has learnt with a text on both sides of what it was asked about."""
    return MODELS[run.model].paradigm == "encoder" and not OBJECTIVES[run.objective].left_to_right


def _must_fit(model: ModelEntry, objective: ObjectiveEntry | TaskEntry) -> None:
    lacking = ", ".join(sorted(missing(model, objective)))
    if lacking:
        instead = ("", "")
        if isinstance(objective, TaskEntry) and "writes" in model.traits:
            instead = ": fine-tune it with seq2seq, the answer as its target", "：请用 seq2seq 微调，以答案为目标文本"
        raise SettingsError(
            f"{objective.title} needs a model that has: {lacking}; {model.title} has not{instead[0]}",
            f"{objective.title_zh} 需要模型具备：{lacking}；{model.title_zh} 没有{instead[1]}",
        )
