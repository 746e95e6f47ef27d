"""Cross-layer parameter sharing: what ALBERT saves in parameters it pays for in quality.

Both arms have ALBERT's factorised embeddings and compute as much in a step; one block that runs several times has one
block's parameters.
"""

from dataclasses import dataclass

from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimSettings, Loss
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class ParameterSharing(ClaimSettings):
    """How deep both models are."""

    depth: int = knob(4, "Layers", "层数", low=2, high=128)


@CLAIMS.add(
    "parameter_sharing",
    title="Parameter sharing",
    zh=("参数共享", "跨层共享全部参数的 ALBERT，损失高于不共享的同形模型。"),
    paper="Lan et al. 2019, section 4.5",
    settings=ParameterSharing,
    found=(
        "a mean score of 81.6 with 89M parameters of their own, and of 80.1 with 12M shared ones",
        "不共享时 8900 万参数，平均得分 81.6；全部共享时 1200 万参数，平均得分 80.1",
    ),
    says="lower",
    order=4,
)
def parameter_sharing(s: ParameterSharing) -> tuple[Arm, Arm]:
    """ALBERT's layers have a lower loss with parameters of their own than with shared ones."""
    return _of(("nothing shared", "不共享"), "none", s), _of(("all shared", "全部共享"), "all", s)


def _of(title: tuple[str, str], sharing: str, s: ParameterSharing) -> Arm:
    return Arm(title=title, model="albert", measure=Loss(), chosen={"model": {"depth": s.depth, "sharing": sharing}})
