"""Sentence order prediction: are the two segments in their order, or swapped?

Both parts come from the same place, so that the topic gives nothing away and only order is left to learn from. A run
of one sentence has no order. There this file does what ALBERT's code does: the second part comes from elsewhere and
the answer is "swapped", meaning that the second part does not follow the first. Runs of one sentence are few.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lab.batch import Pair
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Rates
from lab.noise import Dice
from lab.objectives.parts.sentence_pairs import Sentences, borrow, cut, shorten
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Sop(ObjectiveSettings):
    """How often the two parts change places, and how many pairs of a corpus are short."""

    swapped: float = knob(0.5, "Share of swapped pairs", "调换次序的比例", low=0.0, high=1.0, step=0.05)
    short: float = knob(0.1, "Share of short pairs", "短句对的比例", low=0.0, high=1.0, step=0.05)


@OBJECTIVES.add(
    "sop",
    title="Sentence order prediction",
    zh=("句序预测", "判断同一处的两段文字是原来的次序还是被调换了。"),
    paper="Lan et al. 2019, section 3.1",
    settings=Sop,
    traits={"segments", "pools"},
    stage="pair",
    order=2,
    answers=(("in order", "原序"), ("swapped", "调换")),
    rates=Rates(second=lambda s: s.swapped),
)
def sop(
    sentences: Sentences, other: Callable[[], Sentences], length: int, s: Sop, dice: Dice, wanted: int | None = None
) -> Pair:
    """Classifies whether two neighbouring segments are in order or swapped."""
    # Both segments are of the same place: the topic tells nothing, only the order does.
    first, second = cut(sentences, dice)
    alone = not len(second)
    swapped = alone or dice.one() < s.swapped
    if alone:
        # A passage of one sentence has no second part: it borrows one, and counts as out of order.
        second = borrow(other(), (wanted or length) - len(first), dice)
    elif swapped:
        first, second = second, first
    first, second = shorten(first, second, length, dice)
    return Pair(first=first, second=second, answer=int(swapped))
