"""Which of a pretrained model's parameters fine-tuning moves, and by how many labels: the choices of one who starts
from a run."""

from dataclasses import dataclass

from lab.settings import Settings, knob

HOW = FULL, FROZEN, LAST, LORA, BITFIT = "full", "frozen", "last", "lora", "bitfit"


@dataclass(frozen=True, kw_only=True)
class Tuning(Settings):
    """How a model is fine-tuned. The new head learns in any case."""

    how: str = knob(
        FULL,
        "What moves: all of it (full), the head alone (frozen), the last blocks (last), products of low rank beside "
        "the maps (lora), the biases (bitfit)",
        "训练哪些参数：全部 (full)、只训练输出层 (frozen)、最后几层 (last)、低秩增量 (lora)、偏置 (bitfit)",
        choices=HOW,
    )
    blocks: int = knob(1, "How many of the last blocks, where these move", "训练最后几层时的层数", low=1, high=128)
    rank: int = knob(8, "Rank of LoRA", "LoRA 的秩", low=1, high=1024)
    alpha: float = knob(
        16.0, "Alpha of LoRA: its scale times its rank", "LoRA 的 alpha：缩放乘以秩", low=0.1, high=1024
    )
    everywhere: bool = knob(False, "LoRA in feed-forward layers too, not in attention alone", "LoRA 也用于前馈层")
    labels: int | None = knob(
        None,
        "Label budget: how many labelled examples are learnt from, all if left out",
        "标注预算：用多少条带标签的样本训练，缺省为全部",
        low=2,
        high=10_000_000,
    )
