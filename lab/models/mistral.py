"""Mistral: LLaMA with a causal window, in which heads of queries share those of keys and values (Mistral 7B).

A token looks at those less than a window away, itself among them; over the depth of the model, what stands farther
away still reaches it. Mistral 7B from version 0.2 on has no window: that is a LLaMA to the last parameter.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import check_heads, check_kv_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import GatedMLP, silu
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.init import initialise
from lab.layers.rotary import Rotary, check_pairs, speeds
from lab.layers.stacks import OneStack, Stack
from lab.layers.window import WindowAttention
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class MistralShape(ShapeSettings):
    """The sizes of a Mistral."""

    width: int = knob(128, "Hidden size", "隐藏维度", low=4, high=16384)
    depth: int = knob(4, "Layers", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    kv_heads: int | None = knob(
        None, "Key–value heads, all heads if left out", "键值头数，缺省与注意力头数相同", low=1, high=256
    )
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
    window: int = knob(32, "Window size in tokens", "窗口大小（词元数）", low=1, high=131_072)
    theta: float = knob(10_000.0, "RoPE base (theta)", "RoPE 底数 (theta)", low=10.0, high=1e9)
    eps: float = knob(1e-5, "Epsilon of RMSNorm", "RMSNorm 的 epsilon", low=0.0, high=0.1)
    tied: bool = knob(False, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        if self.head_width is None:
            check_heads(self.width, self.heads)
        check_kv_heads(self.heads, self.kv_heads)
        check_pairs(self.head_width or self.width // self.heads)


@MODELS.add(
    "mistral",
    title="Mistral",
    zh=("Mistral", "使用滑动窗口注意力的 LLaMA，几个查询头共用一个键值头 (GQA)。"),
    paper="Jiang et al. 2023, section 2",
    settings=MistralShape,
    traits={"visible", "pools", "states"},
    order=43,
    year=2023,
    parent="llama",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("char_bpe",),
    learning_rate=1e-2,
)
def mistral(s: MistralShape, vocabulary: int, classes: int = 0) -> OneStack:
    """LLaMA with sliding-window attention and key–value heads shared by several query heads (GQA)."""
    # Positions enter by rotation, as in LLaMA.
    rotary = Rotary(speeds(s.head_width or s.width // s.heads, s.theta))

    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def attention() -> WindowAttention:
        # What a token keeps of the past is bounded by the window, and so is the KV cache, however long the text. Over n
        # blocks a token still hears of what stands n windows back.
        return WindowAttention(
            s.width,
            s.heads,
            window=s.window,
            head_width=s.head_width,
            kv_heads=s.kv_heads,
            bias=False,
            rotary=rotary,
        )

    def block() -> Block:
        # LLaMA's block, line for line.
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
