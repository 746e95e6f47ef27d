"""GLM-4 (0414): ChatGLM in which what attention and the feed-forward part add is normalised once more.

The published models of this generation have no biases.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.layers.attention import check_groups, check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import GatedMLP, silu
from lab.layers.heads import LastToken, OwnHead, SequenceHead
from lab.layers.kinds import KINDS, attention_of
from lab.layers.rotary import Rotary, check_pairs, half_still
from lab.layers.stacks import OneStack, Stack
from lab.layers.start import start
from lab.settings import Settings, knob


@dataclass(frozen=True, kw_only=True)
class Glm4Shape(Settings):
    """The sizes of a GLM-4."""

    width: int = knob(128, "Width of a token's vector", "词元向量的宽度", low=4, high=16384)
    depth: int = knob(4, "Number of blocks", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    groups: int | None = knob(2, "Key–value heads", "键值头数", low=1, high=256)
    feed: int | None = knob(
        None, "Feed-forward width, 3 times the width if left out", "前馈层宽度，缺省为宽度的 3 倍", low=4, high=65536
    )
    context: int = knob(128, "Longest text in tokens", "最长文本的词元数", low=8, high=131_072)
    theta: float = knob(10_000.0, "RoPE base (theta)", "RoPE 底数 (theta)", low=10.0, high=1e9)
    eps: float = knob(1e-5, "Epsilon of RMSNorm", "RMSNorm 的 epsilon", low=0.0, high=0.1)
    bias: bool = knob(False, "Biases of queries, keys and values", "查询、键与值的偏置")
    attention: str = knob("full", "Kind of attention", "注意力的种类", choices=KINDS)
    window: int = knob(32, "How far a window reaches, in tokens", "窗口可及的词元数", low=1, high=8192)

    def check(self) -> None:
        check_heads(self.width, self.heads)
        check_groups(self.heads, self.groups)
        check_pairs(self.width, self.heads, 2)


@MODELS.add(
    "glm4",
    title="GLM-4",
    zh=("GLM-4", "注意力与前馈层的输出再归一化一次的 ChatGLM。"),
    paper="GLM-4-0414 (2025), as published",
    settings=Glm4Shape,
    traits={"visible", "pools"},
    order=45,
    year=2025,
    parent="chatglm",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("byte_bpe",),
    rate=3e-3,
)
def glm4(s: Glm4Shape, vocabulary: int, classes: int = 0) -> OneStack:
    """ChatGLM in which what attention and the feed-forward part add is normalised once more."""
    turn = Rotary(half_still(s.width // s.heads, s.theta))

    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def block() -> Block:
        return Block(
            attention_of(
                s.attention, s.width, s.heads, window=s.window, groups=s.groups, bias=s.bias, out_bias=False, turn=turn
            ),
            norm(s.width),
            GatedMLP(s.width, s.feed or 3 * s.width, silu),
            norm(s.width),
            norm="first",
            attention_end_norm=norm(s.width),
            feed_end_norm=norm(s.width),
        )

    stack = Stack(Embedding(nn.Embedding(vocabulary, s.width)), [block() for _ in range(s.depth)], norm=norm(s.width))
    head = OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return start(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
