"""The masking rate: more masks are harder to fill and ask more of every text.

Wettig et al. found 40 % better than 15 % for a model of BERT-large's size, by scores after fine-tuning, and hold that
larger models want higher rates. Here both arms are asked about 15 % in the end.
"""

from dataclasses import dataclass

from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimSettings, Loss
from lab.settings import SettingsError, knob

ASKED = 0.15  # of the tokens, when it is measured


@dataclass(frozen=True, kw_only=True)
class Rates(ClaimSettings):
    """The two rates, each from the first step to the last."""

    high: float = knob(0.4, "Higher rate", "较高的比例", low=0.01, high=0.95, step=0.05)
    low: float = knob(0.15, "Lower rate", "较低的比例", low=0.01, high=0.95, step=0.05)

    def check(self) -> None:
        if self.high <= self.low:
            raise SettingsError("high must be above low", "“较高的比例”必须大于“较低的比例”")


@CLAIMS.add(
    "masking_rate",
    title="Masking rate",
    zh=("掩码率", "步数相同时，掩码 40 % 比掩码 15 % 学得更多。"),
    paper="Wettig et al. 2022, abstract",
    settings=Rates,
    found=(
        "40 % is better than 15 % for a model of BERT-large's size, judged by fine-tuning; larger models want "
        "higher rates",
        "对 BERT-large 大小的模型，40 % 优于 15 %（以微调得分为准）；模型越大，合适的掩码率越高",
    ),
    says="lower",
    order=3,
)
def masking_rate(s: Rates) -> tuple[Arm, Arm]:
    """Masking 40 % of the tokens teaches more in as many steps than masking 15 %."""
    return _of(s.high), _of(s.low)


def _of(rate: float) -> Arm:
    title = f"{100 * rate:.0f} %"
    chosen = {"objective": {"share": rate}, "training": {"initial_masking": rate}}
    return Arm(title=(title, title), model="bert", measure=Loss(share=ASKED), chosen=chosen)
