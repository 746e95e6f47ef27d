"""Attention and recurrence: a Transformer looks back at every token, an LSTM remembers them in one state.

Kaplan et al. found LSTMs as good at the first tokens of a context, and worse the longer it is. Both arms have about as
many parameters.
"""

from dataclasses import dataclass

from lab.catalog import CLAIMS
from lab.claim import Arm, ClaimSettings, Loss
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Recurrence(ClaimSettings):
    """How much of a text both can look back at."""

    steps: int = knob(1000, "Steps of pretraining", "预训练步数", low=1, high=1_000_000)
    context: int = knob(64, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)


@CLAIMS.add(
    "recurrence",
    title="Attention and recurrence",
    zh=("注意力与循环", "参数量相近、步数相同时，Transformer 预测下一个词元的损失低于 LSTM。"),
    paper="Kaplan et al. 2020, section 3.2.1",
    settings=Recurrence,
    found=(
        "LSTMs do as well for the first tokens of a context, and fall behind for later ones",
        "LSTM 对上下文开头的词元预测得同样好，越往后越落后",
    ),
    says="lower",
    order=8,
)
def recurrence(s: Recurrence) -> tuple[Arm, Arm]:
    """A Transformer predicts the next token better than an LSTM of about as many parameters after as many steps."""
    # At 2 layers, 64 wide, a GPT's blocks have 98,000 parameters besides its table, an LSTM's cells of width 72 83,000
    # and a table that is larger by as many.
    return _of("gpt", "GPT", s, width=64), _of("lstm", "LSTM", s, width=72)


def _of(model: str, title: str, s: Recurrence, width: int) -> Arm:
    sizes = {"width": width, "depth": 2, "context": s.context}
    return Arm(title=(title, title), model=model, measure=Loss(), chosen={"model": sizes})
