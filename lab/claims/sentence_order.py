"""Sentence order prediction and next sentence prediction: which of them teaches what the other asks.

A sentence from another text is found out by its topic, which has nothing to do with order. Who has learnt the order of
sentences is said to know most of next sentence prediction, too; who has learnt that, nothing of order.
"""

from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimSettings, PairAccuracy


@CLAIMS.add(
    "sentence_order",
    title="Sentence order",
    zh=("句序预测", "学过句序预测 (SOP) 的模型也会下一句预测 (NSP)，反之则不然。"),
    paper="Lan et al. 2019, table 5",
    settings=ClaimSettings,
    says="higher",
    order=5,
)
def sentence_order(s: ClaimSettings) -> tuple[Arm, Arm]:
    """Sentence order prediction teaches next sentence prediction better than the other way round."""
    return _of("sop", "nsp"), _of("nsp", "sop")


def _of(learnt: str, asked: str) -> Arm:
    title = f"{learnt.upper()}, asked about {asked.upper()}", f"学 {learnt.upper()}，考 {asked.upper()}"
    return Arm(title=title, model="bert", measure=PairAccuracy(objective=asked), pair=learnt)
