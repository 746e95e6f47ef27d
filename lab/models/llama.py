"""LLaMA: GPT with root-mean-square norms, rotary positions, a gated feed-forward part and no biases (LLaMA 1 to 3.2).

Its own width of the feed-forward part is 8/3 of the width, rounded up to a multiple of 256, and in LLaMA 3 wider; left
out, it is 3 times the width here. From LLaMA 2 70B on, several heads of queries share one of keys and values, and from
LLaMA 3.1 on, slow rotations are slowed further so that a model can read more than it was first trained on. With biases
of queries, keys and values it is Qwen2, which slows as YaRN does.
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
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class LlamaShape(ShapeSettings):
    """The sizes of a LLaMA."""

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
    theta: float = knob(10_000.0, "RoPE base (theta)", "RoPE 底数 (theta)", low=10.0, high=1e9)
    rope_scale: float = knob(1.0, "RoPE scaling factor", "RoPE 缩放倍数", low=1.0, high=1000.0)
    rope_scaling: str = knob(SLOWING[0], "RoPE scaling method", "RoPE 缩放方式", choices=SLOWING)
    original_context: int = knob(8192, "Context before RoPE scaling", "RoPE 缩放之前的上下文长度", low=8, high=131_072)
    eps: float = knob(1e-5, "Epsilon of RMSNorm", "RMSNorm 的 epsilon", low=0.0, high=0.1)
    bias: str = knob(
        "none",
        "Attention biases",
        "注意力偏置",
        choices=("none", "qkv", "all"),
    )
    tied: bool = knob(False, "Tied input and output embeddings", "输出层与嵌入共享参数")

    def check(self) -> None:
        if self.head_width is None:
            check_heads(self.width, self.heads)
        check_kv_heads(self.heads, self.kv_heads)
        check_pairs(self.head_width or self.width // self.heads)


@MODELS.add(
    "llama",
    title="LLaMA",
    zh=("LLaMA", "改用 RMSNorm、旋转位置编码（RoPE）和门控前馈网络、不带偏置的 GPT。"),
    paper="Touvron et al. 2023, section 2.2",
    settings=LlamaShape,
    traits={"visible", "pools", "states"},
    order=42,
    year=2023,
    parent="gpt",
    paradigm="decoder",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("char_bpe", "byte_bpe"),
    learning_rate=1e-2,
    published=Published(
        source="Touvron et al. 2023, section 2.3 and table 2; LLaMA 2 (Touvron et al. 2023b), section 2.2 (epsilon)",
        learning_rate=3e-4,
        warmup=2_000 / 250_000,
        schedule="cosine",
        floor=0.1,
        beta1=0.9,
        beta2=0.95,
        epsilon=1e-5,
        weight_decay=0.1,
        clip=1.0,
        beside=(
            "4M tokens a step, 1T tokens, as the 7B one; the paper does not say how its weights start: as the lab's",
            "按 7B：每步 400 万词元，共 1 万亿词元；论文没有说明权重的初始值，沿用本实验室的",
        ),
    ),
)
def llama(s: LlamaShape, vocabulary: int, classes: int = 0) -> OneStack:
    """GPT with RMSNorm, rotary position embeddings (RoPE), a gated feed-forward network and no biases."""
    # RoPE: a position is no vector that is added but an angle by which queries and keys are turned. A score then
    # depends on the distance, and the values carry no position at all.
    turning = speeds(s.head_width or s.width // s.heads, s.theta)
    rotary = slowed(turning, s.rope_scaling, s.rope_scale, s.original_context, s.theta)

    # RMSNorm divides by the size and does not subtract the mean: one pass and one vector of weights less.
    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def attention() -> Attention:
        # Grouped-query attention: several heads of queries share one of keys and values, and the KV cache shrinks by as
        # much, at little cost in quality (Ainslie et al. 2023).
        return Attention(
            s.width,
            s.heads,
            head_width=s.head_width,
            kv_heads=s.kv_heads,
            bias=s.bias != "none",
            out_bias=s.bias == "all",
            rotary=rotary,
        )

    def block() -> Block:
        # The gate has a third matrix. With 8/3 instead of 4 times the width the three cost what two did (Shazeer 2020).
        return Block(
            attention(),
            norm(s.width),
            GatedMLP(s.width, s.feed or 3 * s.width, silu),
            norm(s.width),
            norm="pre",
        )

    # As in GPT-2 a norm stands at the end. There is no table of positions.
    stack = Stack(Embedding(nn.Embedding(vocabulary, s.width)), [block() for _ in range(s.depth)], norm=norm(s.width))
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return initialise(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
