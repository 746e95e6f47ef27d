"""ChatGLM2 and 3, and GLM-4-9B: LLaMA with RoPE on half of each head and with biases of queries, keys and values.

Two heads of keys and values serve all heads of queries. The published code reads from left to right alone and says what
comes next, although ChatGLM2's README names GLM's mixed objective for its pretraining. The norms of GLM-4-9B have a
smaller `eps`: 1.5625e-7.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, check_heads, check_kv_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import GatedMLP, silu
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.init import initialise
from lab.layers.rotary import SLOWING, check_pairs, slowed, speeds
from lab.layers.stacks import OneStack, Stack
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class ChatGlmShape(ShapeSettings):
    """The sizes of a ChatGLM."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(4, "Layers", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    kv_heads: int | None = knob(2, "Key–value heads", "键值头数", low=1, high=256)
    head_width: int | None = knob(
        None, "Width of a head, the heads' share if left out", "每个头的宽度，缺省为均分", low=2, high=1024
    )
    feed: int | None = knob(
        None,
        "Feed-forward width, 3 times the hidden size if left out",
        "前馈层宽度，缺省为隐藏维度的 3 倍",
        low=4,
        high=65536,
    )
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=131_072)
    theta: float = knob(10_000.0, "RoPE base (theta)", "RoPE 底数 (theta)", low=10.0, high=1e9)
    rotary_share: float = knob(
        0.5, "RoPE: share of a head that is rotated", "RoPE：每个头中旋转的比例", low=0.0, high=1.0, step=0.25
    )
    rope_scale: float = knob(1.0, "RoPE scaling factor", "RoPE 缩放倍数", low=1.0, high=1000.0)
    rope_scaling: str = knob(SLOWING[0], "RoPE scaling method", "RoPE 缩放方式", choices=SLOWING)
    original_context: int = knob(8192, "Context before RoPE scaling", "RoPE 缩放之前的上下文长度", low=8, high=131_072)
    eps: float = knob(1e-5, "Epsilon of RMSNorm", "RMSNorm 的 epsilon", low=0.0, high=0.1)
    bias: bool = knob(True, "Biases of queries, keys and values", "查询、键与值的偏置")
    tied: bool = knob(False, "Tied input and output embeddings", "输出层与嵌入共享参数")

    @property
    def turning(self) -> int:
        """How many numbers of a head are turned."""
        return int(self.rotary_share * (self.head_width or self.width // self.heads))

    def check(self) -> None:
        if self.head_width is None:
            check_heads(self.width, self.heads)
        check_kv_heads(self.heads, self.kv_heads)
        check_pairs(self.turning)


@MODELS.add(
    "chatglm",
    title="ChatGLM",
    zh=("ChatGLM", "只对每个头的一半用旋转位置编码、查询与键值带偏置的 LLaMA。"),
    paper="GLM Team 2024, section 2",
    settings=ChatGlmShape,
    traits={"visible", "pools", "states"},
    order=44,
    year=2023,
    parent="llama",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("char_bpe", "byte_bpe"),
    learning_rate=1e-2,
)
def chatglm(s: ChatGlmShape, vocabulary: int, classes: int = 0) -> OneStack:
    """LLaMA with RoPE on half of each head and with biases of queries, keys and values."""
    # Half of each head turns with the position, the other half stands still and compares contents wherever they are.
    rotary = slowed(speeds(s.turning, s.theta), s.rope_scaling, s.rope_scale, s.original_context, s.theta)

    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def attention() -> Attention:
        # Two heads of keys and values for all heads of queries: the KV cache of a long talk is what fills the memory.
        return Attention(
            s.width,
            s.heads,
            head_width=s.head_width,
            kv_heads=s.kv_heads,
            bias=s.bias,
            out_bias=False,
            rotary=rotary,
        )

    def block() -> Block:
        # From here on it is LLaMA: RMSNorm in front, and a gated feed-forward network.
        return Block(
            attention(),
            norm(s.width),
            GatedMLP(s.width, s.feed or 3 * s.width, silu),
            norm(s.width),
            norm="pre",
        )

    stack = Stack(Embedding(nn.Embedding(vocabulary, s.width)), [block() for _ in range(s.depth)], norm=norm(s.width))
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return initialise(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
