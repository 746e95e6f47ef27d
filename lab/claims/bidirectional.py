"""Bidirectional context: what is read from both sides is understood better than what is read from left to right.

Both arms are a BERT of the same size and learn from labels in the same way. One is pretrained by masked language
modelling, the other from left to right, and never looks ahead: neither then nor when it is fine-tuned, as in the paper.
"""

from lab.catalog import CLAIMS
from lab.claim import ENTITY_F1, Arm, TaskScore, TunedSettings


@CLAIMS.add(
    "bidirectional",
    title="Bidirectional context",
    zh=("双向上下文", "微调后，双向阅读的模型得分高于同形的从左到右的模型（命名实体识别）。"),
    paper="Devlin et al. 2018, table 5",
    settings=TunedSettings,
    found=(
        "without NSP, 87.9 F1 on SQuAD and 83.9 % on MNLI read from both sides, 77.8 and 82.1 from left to right. "
        "Its authors add that MLM needs more steps, being asked about 15 % of the tokens only (appendix C.1)",
        "都不用 NSP 时，双向模型 SQuAD F1 为 87.9、MNLI 为 83.9 %，从左到右的为 77.8 与 82.1 %。作者补充说，MLM 只在 "
        "15 % 的词元上训练，需要更多步数（附录 C.1）",
    ),
    says="higher",
    order=5.5,
)
def bidirectional(s: TunedSettings) -> tuple[Arm, Arm]:
    """Fine-tuned, a bidirectional model finds named entities better than one that reads left to right."""
    both, onward = ("bidirectional (MLM)", "双向 (MLM)"), ("left to right (CLM)", "从左到右 (CLM)")
    return _of(both, s, "mlm"), _of(onward, s, "clm")


def _of(title: tuple[str, str], s: TunedSettings, objective: str) -> Arm:
    score = TaskScore(task="tokens", score=ENTITY_F1, corpus="town_entities", labels=s.labels, steps=s.tuning_steps)
    return Arm(title=title, model="bert", objective=objective, measure=score)
