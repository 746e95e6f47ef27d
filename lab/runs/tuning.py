"""How a pretrained model is fine-tuned: which of its parameters move, by how many labels, and how it learns from
them."""

from dataclasses import dataclass

from lab.settings import Settings, knob

HOW = FULL, FROZEN, LAST, GRADUAL, LORA, BITFIT, PREFIX, ADAPTER = (
    "full",
    "frozen",
    "last",
    "gradual",
    "lora",
    "bitfit",
    "prefix",
    "adapter",
)
ONLY_OF = {  # settings of one way
    "blocks": LAST,
    "rank": LORA,
    "alpha": LORA,
    "everywhere": LORA,
    "prefix": PREFIX,
    "bottleneck": ADAPTER,
}
POOLING = AUTO, OWN, MEAN = "auto", "own", "mean"
EVALUATIONS, EARLY = 20, 6  # evaluations in a run, and how many more there are in its beginning, about
SHORTEST = 8  # tokens that a text may be cut to


@dataclass(frozen=True, kw_only=True)
class Tuning(Settings):
    """How a model is fine-tuned. The new head learns in any case."""

    how: str = knob(
        FULL,
        "What is trained: all of it (full), the head alone (frozen), the last blocks (last), one block more after "
        "another (gradual), low-rank products beside projection matrices (lora), the biases (bitfit), keys and values "
        "in front of those of the text (prefix), a narrow network behind each feed-forward network (adapter)",
        "训练哪些参数：全部 (full)、只训练输出层 (frozen)、最后几层 (last)、自上而下逐层解冻 (gradual)、"
        "低秩矩阵 (lora)、偏置 (bitfit)、文本之前的键和值 (prefix)、每个前馈网络之后的窄网络 (adapter)",
        choices=HOW,
    )
    blocks: int = knob(1, "Last layers to be trained, where not all are", "训练最后几层时的层数", low=1, high=128)
    rank: int = knob(8, "Rank of LoRA", "LoRA 的秩", low=1, high=1024)
    alpha: float = knob(
        16.0,
        "Alpha of LoRA: the update is multiplied by alpha / rank",
        "LoRA 的 alpha：增量乘以 alpha / 秩",
        low=0.1,
        high=1024,
    )
    everywhere: bool = knob(False, "LoRA in feed-forward layers too, not in attention alone", "LoRA 也用于前馈层")
    prefix: int = knob(16, "Length of the prefix in each attention layer", "每个注意力层的前缀长度", low=1, high=1024)
    bottleneck: int = knob(16, "Bottleneck of the adapter in each layer", "每层适配器的瓶颈维度", low=1, high=1024)
    pooling: str = knob(
        OWN,
        "Pooling: a whole text is summed up by [CLS] or the last token (own), or by the mean of all (mean), which "
        "small encoders learn sooner; auto is the mean for an encoder pretrained in the lab, own for all others",
        "池化：用 [CLS] 或末尾词元概括全文 (own)，或取所有词元的平均 (mean)，小型编码器学得更快；"
        "auto 对本实验室预训练的编码器取平均，其余用 own",
        choices=POOLING,
    )
    labels: int | None = knob(
        None,
        "Label budget: how many labelled examples are learnt from, all if left out",
        "标注预算：用多少条带标签的样本训练，缺省为全部",
        low=2,
        high=10_000_000,
    )
    length: int | None = knob(
        None,
        "Longest text in tokens (max_seq_length): a longer one is cut, or read in windows; the whole context if left "
        "out. Short ones save memory and time",
        "文本的最大词元数 (max_seq_length)：更长的截断或分段读取，缺省为整个上下文；短则省内存和时间",
        low=SHORTEST,
        high=1_000_000,
    )
    evaluations: int = knob(
        EVALUATIONS,
        "Evaluations, spread evenly over the run; the first steps are looked at more often unless there are fewer",
        "训练期间均匀进行的评估次数；若不减少，最初几步还会多评估几次",
        low=1,
        high=1000,
    )
    patience: int | None = knob(
        None,
        "Early stopping: evaluations without a better score before the run ends with its best checkpoint",
        "早停：连续多少次评估没有提高就结束，并保留最好的检查点",
        low=1,
        high=1000,
    )
    class_weights: bool = knob(
        False, "Class weights: a class counts inversely to its frequency", "类别权重：与类别出现的频率成反比"
    )
    group_by_length: bool = knob(
        False, "Length-grouped batches: rows of a batch are about as long", "按长度分组：同一批的样本长度相近"
    )

    @property
    def looks(self) -> int:
        """About how often a run is evaluated, those of its beginning among them."""
        return self.evaluations + EARLY * (self.evaluations >= EVALUATIONS)
