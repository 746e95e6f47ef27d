"""LLaMA: GPT with root-mean-square norms, rotary positions, a gated feed-forward part and no biases (LLaMA 1 to 3.2).

Its own width of the feed-forward part is 8/3 of the width, rounded up to a multiple of 256, and in LLaMA 3 wider; left
out, it is 3 times the width here. From LLaMA 2 70B on, several heads of queries share one of keys and values, and from
LLaMA 3.1 on, slow rotations are slowed further so that a model can read more than it was first trained on. With
attention in a window it is Mistral.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.layers.attention import check_groups, check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import GatedMLP, silu
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.kinds import KINDS, attention_of
from lab.layers.rotary import Rotary, check_pairs, speeds, stretched
from lab.layers.stacks import OneStack, Stack
from lab.layers.start import start
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class LlamaShape(Settings):
    """The sizes of a LLaMA."""

    width: int = knob(128, "Width of a token's vector", "词元向量的宽度", low=4, high=16384)
    depth: int = knob(4, "Number of blocks", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    groups: int | None = knob(
        None, "Heads of keys and values, all heads if left out", "键值头数，缺省与注意力头数相同", low=1, high=256
    )
    feed: int | None = knob(
        None, "Feed-forward width, 3 times the width if left out", "前馈层宽度，缺省为宽度的 3 倍", low=4, high=65536
    )
    context: int = knob(128, "Longest text in tokens", "最长文本的词元数", low=8, high=131_072)
    theta: float = knob(10_000.0, "Base of the rotations' speeds", "旋转速度的底数", low=10.0, high=1e9)
    stretch: float = knob(1.0, "Factor that slows slow rotations", "慢速旋转的放慢倍数", low=1.0, high=1000.0)
    stretched_from: int = knob(8192, "Context before stretching", "放慢之前的上下文长度", low=8, high=131_072)
    eps: float = knob(1e-5, "Smallest mean square of a norm", "归一化的最小均方", low=0.0, high=0.1)
    tied: bool = knob(False, "Answer by the token table", "输出与词表共用参数")
    attention: str = knob("full", "Kind of attention", "注意力的种类", choices=KINDS)
    window: int = knob(32, "How far a window reaches, in tokens", "窗口可及的词元数", low=1, high=8192)

    def check(self) -> None:
        check_heads(self.width, self.heads)
        check_groups(self.heads, self.groups)
        check_pairs(self.width, self.heads)


@MODELS.add(
    "llama",
    title="LLaMA",
    zh=("LLaMA", "改用均方根归一化、旋转位置和门控前馈层的 GPT。"),
    paper="Touvron et al. 2023, section 2.2",
    settings=LlamaShape,
    traits={"visible", "pools"},
    order=42,
    year=2023,
    parent="gpt",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    rate=3e-3,
)
def llama(s: LlamaShape, vocabulary: int, classes: int = 0) -> OneStack:
    """GPT with root-mean-square norms, rotary positions, a gated feed-forward part and no biases."""
    turning = speeds(s.width // s.heads, s.theta)
    turn = Rotary(stretched(turning, s.stretch, s.stretched_from))

    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def block() -> Block:
        return Block(
            attention_of(s.attention, s.width, s.heads, window=s.window, groups=s.groups, bias=False, turn=turn),
            norm(s.width),
            GatedMLP(s.width, s.feed or 3 * s.width, silu),
            norm(s.width),
            norm="first",
        )

    stack = Stack(Embedding(nn.Embedding(vocabulary, s.width)), [block() for _ in range(s.depth)], norm=norm(s.width))
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return start(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
