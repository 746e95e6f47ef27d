"""LLaMA: GPT with root-mean-square norms, rotary positions, a gated feed-forward part and no biases (LLaMA 1 to 3.2).

Its own width of the feed-forward part is 8/3 of the width, rounded up to a multiple of 256, and in LLaMA 3 wider; left
out, it is 3 times the width here. From LLaMA 2 70B on, several heads of queries share one of keys and values, and from
LLaMA 3.1 on, slow rotations are slowed further so that a model can read more than it was first trained on. With
attention in a window it is Mistral, and with biases of queries, keys and values Qwen2, which slows as YaRN does.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.attention import Attention, check_groups, check_heads
from lab.layers.blocks import Block
from lab.layers.embeddings import Embedding
from lab.layers.feedforward import GatedMLP, silu
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.kinds import KINDS, attention_of
from lab.layers.rotary import SLOWING, check_pairs, slowed, speeds
from lab.layers.stacks import OneStack, Stack
from lab.layers.start import start
from lab.published import Published
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class LlamaShape(ShapeSettings):
    """The sizes of a LLaMA."""

    width: int = knob(128, "Width of a token's vector", "词元向量的宽度", low=4, high=16384)
    depth: int = knob(4, "Number of blocks", "层数", low=1, high=128)
    heads: int = knob(4, "Attention heads in a block", "每层的注意力头数", low=1, high=256)
    groups: int | None = knob(
        None, "Key–value heads, all heads if left out", "键值头数，缺省与注意力头数相同", low=1, high=256
    )
    head_width: int | None = knob(
        None, "Width of a head, the heads' share if left out", "每个头的宽度，缺省为均分", low=2, high=1024
    )
    feed: int | None = knob(
        None, "Feed-forward width, 3 times the width if left out", "前馈层宽度，缺省为宽度的 3 倍", low=4, high=65536
    )
    context: int = knob(128, "Longest text in tokens", "最长文本的词元数", low=8, high=131_072)
    theta: float = knob(10_000.0, "RoPE base (theta)", "RoPE 底数 (theta)", low=10.0, high=1e9)
    stretch: float = knob(1.0, "RoPE scaling factor", "RoPE 缩放倍数", low=1.0, high=1000.0)
    slowing: str = knob(SLOWING[0], "RoPE scaling method", "RoPE 缩放方式", choices=SLOWING)
    stretched_from: int = knob(8192, "Context before RoPE scaling", "RoPE 缩放之前的上下文长度", low=8, high=131_072)
    eps: float = knob(1e-5, "Epsilon of RMSNorm", "RMSNorm 的 epsilon", low=0.0, high=0.1)
    bias: str = knob(
        "none",
        "Attention biases",
        "注意力偏置",
        choices=("none", "qkv", "all"),
    )
    tied: bool = knob(False, "Tied input and output embeddings", "输出层与嵌入共享参数")
    attention: str = knob("full", "Kind of attention", "注意力的种类", choices=KINDS)
    window: int = knob(32, "How far a window reaches, in tokens", "窗口可及的词元数", low=1, high=8192)

    def check(self) -> None:
        if self.head_width is None:
            check_heads(self.width, self.heads)
        check_groups(self.heads, self.groups)
        check_pairs(self.head_width or self.width // self.heads)


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
    reads=("char_bpe", "byte_bpe"),
    rate=3e-3,
    published=Published(
        rate=3e-4,
        warmup=2_000 / 250_000,
        schedule="cosine",
        floor=0.1,
        beta2=0.95,
        epsilon=1e-5,
        decay=0.1,
        beside=(
            "4M tokens a step, 1T tokens, as the 7B one (epsilon: LLaMA 2); the paper does not say how its "
            "weights start",
            "按 7B：每步 400 万词元，共 1 万亿词元（epsilon 取自 LLaMA 2）；论文没有说明权重的初始值",
        ),
    ),
)
def llama(s: LlamaShape, vocabulary: int, classes: int = 0) -> OneStack:
    """GPT with root-mean-square norms, rotary positions, a gated feed-forward part and no biases."""
    turning = speeds(s.head_width or s.width // s.heads, s.theta)
    turn = slowed(turning, s.slowing, s.stretch, s.stretched_from, s.theta)

    def norm(width: int) -> nn.RMSNorm:
        return nn.RMSNorm(width, eps=s.eps)

    def attention() -> Attention:
        return attention_of(
            s.attention,
            s.width,
            s.heads,
            window=s.window,
            head_width=s.head_width,
            groups=s.groups,
            bias=s.bias != "none",
            out_bias=s.bias == "all",
            turn=turn,
        )

    def block() -> Block:
        return Block(
            attention(),
            norm(s.width),
            GatedMLP(s.width, s.feed or 3 * s.width, silu),
            norm(s.width),
            norm="first",
        )

    stack = Stack(Embedding(nn.Embedding(vocabulary, s.width)), [block() for _ in range(s.depth)], norm=norm(s.width))
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    label = SequenceHead(LastToken(), nn.Linear(s.width, classes, bias=False)) if classes else None
    return start(OneStack(stack, head, label), s.width, residual=(2 * s.depth) ** -0.5)
