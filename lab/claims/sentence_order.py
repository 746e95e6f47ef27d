"""Sentence order prediction and next sentence prediction: which of them teaches what the other asks.

A sentence from another text is found out by its topic, which has nothing to do with order. Who has learnt the order of
sentences is said to know most of next sentence prediction, too; who has learnt that, nothing of order. The town's
stories all begin, go on and end alike. There a sentence gives itself away by its place in a story, and that is order.
"""

from dataclasses import dataclass

from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimSettings, PairAccuracy
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class SentenceOrder(ClaimSettings):
    """How much room both sentences have."""

    steps: int = knob(2000, "Steps of pretraining", "预训练步数", low=1, high=1_000_000)
    context: int = knob(64, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)


@CLAIMS.add(
    "sentence_order",
    title="Sentence order",
    zh=("句序预测", "学过句序预测 (SOP) 的模型做下一句预测 (NSP)，比学过 NSP 的模型做 SOP 更准。"),
    paper="Lan et al. 2019, table 5",
    settings=SentenceOrder,
    found=(
        "78.9 % accuracy on NSP after training with SOP, 52.0 % on SOP after training with NSP. There, a sentence from "
        "elsewhere gives itself away by its topic. The town's stories all begin, go on and end alike: here, it gives "
        "itself away by its place in the story, which is a matter of order",
        "学 SOP 的模型在 NSP 上准确率为 78.9 %，学 NSP 的模型在 SOP 上为 52.0 %。那里凭主题就能认出来自别处的句子。"
        "小镇故事的开头、经过和结尾都很相似，这里靠的是句子在故事中的位置，而位置就是次序",
    ),
    says="higher",
    order=5,
)
def sentence_order(s: SentenceOrder) -> tuple[Arm, Arm]:
    """Sentence order prediction teaches next sentence prediction better than the other way round."""
    return _of("sop", "nsp", s), _of("nsp", "sop", s)


def _of(learnt: str, asked: str, s: SentenceOrder) -> Arm:
    title = f"{learnt.upper()}, asked about {asked.upper()}", f"学 {learnt.upper()}，考 {asked.upper()}"
    accuracy, chosen = PairAccuracy(objective=asked), {"model": {"context": s.context}}
    return Arm(title=title, model="bert", measure=accuracy, pair=learnt, chosen=chosen)
