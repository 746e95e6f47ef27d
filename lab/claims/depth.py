"""Depth: at the same width, a model of more layers predicts masked tokens better."""

from dataclasses import dataclass

from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimSettings, Loss
from lab.settings import SettingsError, knob


@dataclass(frozen=True, kw_only=True)
class Depth(ClaimSettings):
    """How deep the two models are."""

    deep: int = knob(4, "Layers of the deep model", "深层模型的层数", low=1, high=128)
    shallow: int = knob(1, "Layers of the shallow model", "浅层模型的层数", low=1, high=128)

    def check(self) -> None:
        if self.deep <= self.shallow:
            raise SettingsError("deep must be more layers than shallow", "“深层模型的层数”必须大于“浅层模型的层数”")


@CLAIMS.add(
    "depth",
    title="Depth",
    zh=("深度", "宽度相同时，层数更多的模型掩码语言模型损失更低。"),
    paper="Devlin et al. 2018, table 6",
    settings=Depth,
    found=(
        "perplexity of masked tokens 5.84 with 3 layers, 4.68 with 6 and 3.99 with 12, all 768 wide",
        "宽度均为 768 时，掩码词元的困惑度在 3 层、6 层、12 层分别为 5.84、4.68、3.99",
    ),
    says="lower",
    order=1,
)
def depth(s: Depth) -> tuple[Arm, Arm]:
    """Of two models of the same width, the deeper one has the lower masked language modelling loss."""
    return _of(s.deep), _of(s.shallow)


def _of(layers: int) -> Arm:
    title = (f"{layers} layers" if layers > 1 else "1 layer", f"{layers} 层")
    return Arm(title=title, model="bert", measure=Loss(), chosen={"model": {"depth": layers}})
