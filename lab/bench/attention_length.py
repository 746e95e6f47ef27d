"""Attention at growing lengths: how long full, linear and windowed attention take forward and backward.

All kinds have the same weights and read the same numbers, in one process and by turns; their products with the weights
of queries, keys, values and outputs are timed, too. A ratio is given only to a kind that computes what it should: a
window must equal full attention within a band, linear attention the map that it stands for.

T tokens   W width
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lab.analysis.attention_length import KINDS, timed, ways
from lab.analysis.attention_length import parts as kinds_of
from lab.catalog import BENCHMARKS
from lab.layers.attention import Attention, check_heads
from lab.layers.masks import AttentionMask
from lab.layers.watch import looking
from lab.settings import Settings, SettingsError, knob

SHORT = 300  # tokens at which the kinds are held against what they stand for
TOLERANCE = 1e-4


@dataclass(frozen=True, kw_only=True)
class AttentionLength(Settings):
    """Which part is timed, and at which lengths: each twice as long as the one before."""

    shortest: int = knob(256, "Tokens of the shortest text", "最短文本的词元数", low=8, high=65536)
    longest: int = knob(4096, "Tokens of the longest text", "最长文本的词元数", low=8, high=65536)
    width: int = knob(256, "Hidden size", "隐藏维度", low=8, high=4096)
    heads: int = knob(4, "Attention heads", "注意力头数", low=1, high=64)
    window: int = knob(128, "How far a window reaches, in tokens", "窗口可及的词元数", low=1, high=8192)
    causal: bool = knob(False, "Read from left to right", "从左到右阅读")
    rounds: int = knob(5, "Times that each is timed", "每种计时的次数", low=1, high=1000)
    threads: int = knob(1, "Processor threads", "处理器线程数", low=1, high=256)

    def check(self) -> None:
        check_heads(self.width, self.heads)
        if self.shortest > self.longest:
            raise SettingsError(
                f"shortest {self.shortest} is longer than longest {self.longest}",
                f"最短 {self.shortest} 大于最长 {self.longest}",
            )


@BENCHMARKS.add(
    "attention_length",
    title="Attention and length",
    zh=("注意力与长度", "全注意力、线性注意力与窗口注意力的用时随文本长度的变化。"),
    settings=AttentionLength,
    order=2,
)
def attention_length(
    corpus: tuple[str, dict[str, Any]], s: AttentionLength, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """How the time of full, linear and windowed attention grows with a text; what the text says does not matter."""
    before = torch.get_num_threads()
    torch.set_num_threads(s.threads)
    try:
        kinds = parts(s, s.window)
        agree = {"linear": _apart(*mapped(s)) <= TOLERANCE, "window": _apart(*banded(s)) <= TOLERANCE}
        by_length: dict[int, dict[str, float]] = {}
        length = s.shortest
        while length <= s.longest:
            by_length[length] = _timed(kinds, s, length)
            say(f"{length} tokens: " + ", ".join(f"{kind} {1000 * by_length[length][kind]:.1f} ms" for kind in KINDS))
            length *= 2
    finally:
        torch.set_num_threads(before)
    return judged(by_length, agree, s)


def parts(s: AttentionLength, window: int) -> dict[str, Attention]:
    """One part of each kind, with the same weights."""
    return kinds_of(s.width, s.heads, window)


def _timed(kinds: Mapping[str, Attention], s: AttentionLength, length: int) -> dict[str, float]:
    x = torch.randn(1, length, s.width, generator=torch.Generator().manual_seed(length)).requires_grad_()  # (1, T, W)
    return timed(ways(kinds, causal=s.causal), x, s.rounds)


@torch.no_grad()
def mapped(s: AttentionLength) -> tuple[Tensor, Tensor]:
    """Linear attention, and the map that it stands for: (1, T, W) each."""
    made, x, rule = parts(s, s.window)["linear"], torch.randn(1, SHORT, s.width), AttentionMask(causal=s.causal)
    unseen = made(x, rule)
    with looking({made.watch: lambda _: None}):
        seen = made(x, rule)
    return unseen, seen


@torch.no_grad()
def banded(s: AttentionLength) -> tuple[Tensor, Tensor]:
    """A window of three tokens, and full attention in a band as wide: (1, T, W) each."""
    made, x = parts(s, 3), torch.randn(1, SHORT, s.width)
    band = torch.ones(SHORT, SHORT, dtype=torch.bool).triu(-2).tril(0 if s.causal else 2)
    return made["window"](x, AttentionMask(causal=s.causal)), made["full"](x, AttentionMask(table=band[None, None]))


def judged(
    by_length: Mapping[int, Mapping[str, float]], agree: Mapping[str, bool], s: AttentionLength
) -> tuple[dict[str, Any], list[str]]:
    """The figures, and what to say of them: how many times as fast as full attention each kind is."""
    lengths, lines = [], []
    for length, seconds in by_length.items():
        ratio = {kind: round(seconds["full"] / seconds[kind], 3) if right else None for kind, right in agree.items()}
        milliseconds = {kind: round(1000 * second, 3) for kind, second in seconds.items()}
        lengths.append({"tokens": length, "milliseconds": milliseconds, "ratio": ratio})
        lines.append(f"{length} tokens: full attention {1000 * seconds['full']:.1f} ms; " + _said(ratio))
    return {"benchmark": "attention_length", "lengths": lengths, "agree": dict(agree), "settings": s.dump()}, lines


def _said(ratio: Mapping[str, float | None]) -> str:
    return ", ".join(
        f"{kind} computes something else: no ratio" if times is None else f"{kind} {times:.2f} times as fast"
        for kind, times in ratio.items()
    )


def _apart(one: Tensor, two: Tensor) -> float:
    return float((one - two).abs().max())
