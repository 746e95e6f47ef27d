"""Span corruption: short spans give way to a sentinel each, and the decoder writes what each sentinel stands for.

Counts are exact: of n tokens round(0.15 n) are missing, in round(missing / 3) spans, so that 568 tokens always give
a source of 512 and a target of 114. As in the published code, and unlike the paper's figure, no sentinel closes the
target.

B rows   T tokens
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding, Seq2Seq
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Packing, Rates
from lab.noise import Dice
from lab.objectives.parts.denoise import Noisy, denoise, noise_as_sentinels, rest_as_sentinels
from lab.objectives.parts.sentinels import SENTINELS, gaps, opening, read
from lab.settings import knob
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class SpanCorruption(ObjectiveSettings):
    """How much is missing, and in spans of what length."""

    share: float = knob(
        0.15, "Noise density: share of tokens removed", "噪声密度：去掉的词元的比例", low=0.01, high=0.9, step=0.01
    )
    span: float = knob(3.0, "Mean span length in tokens", "片段的平均词元数", low=1.0, high=50.0, step=0.5)
    dynamic: bool = knob(True, "New spans in every epoch", "每轮重新抽取片段")
    copies: int = knob(1, "If drawn once: copies used in turn", "只抽一次时：轮流使用的副本数", low=1, high=100)


def counts(n: int, s: SpanCorruption) -> tuple[int, int]:
    """How many of ``n`` tokens are missing, and in how many spans. Halves are rounded to the even number."""
    if n < 2:
        return 0, 0
    missing = min(max(round(n * s.share), 1), n - 1)
    return missing, min(max(round(missing / s.span), 1), n - missing, len(SENTINELS))


def room(context: int, s: SpanCorruption) -> int:
    """The longest text of which source and target, each with its end, fit into the context."""

    def fits(n: int) -> bool:
        missing, gaps = counts(n, s)
        wanted = max(round(missing / s.span), 1)
        return max(n - missing, missing) + gaps + 1 <= context and wanted <= len(SENTINELS)

    n = 2
    while fits(n + 1):
        n += 1
    return n


@OBJECTIVES.add(
    "span_corruption",
    title="Span corruption",
    zh=("片段损坏", "几个片段各换成一个哨兵标记，由解码器写出这些片段。"),
    paper="Raffel et al. 2019, section 3.1.4",
    settings=SpanCorruption,
    traits={"writes"},
    stage="token",
    frame="plain",
    order=20,
    rates=Rates(missing=lambda ids, s, vocabulary: counts(len(ids), s)[0] / max(len(ids), 1)),
    decoding=Decoding(seq2seq=Seq2Seq(read=read, opening=opening, gaps=gaps, says=SENTINELS)),
    packing=Packing(special_tokens=SENTINELS[::-1], room=room),
)
def span_corruption(ids: Ids, s: SpanCorruption, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Replaces spans by sentinels, one mark each; the decoder writes the spans."""
    real, t = ids != vocabulary.pad, ids.shape[1]
    kept, gone = dice.random(t - 1), dice.random(t - 1)  # (B, T - 1)
    noise = np.zeros_like(real)  # (B, T)
    # Rows are of different lengths, and counts exact for each: a loop over rows, but not over tokens.
    for row, n in enumerate(real.sum(1).tolist()):
        noise[row, :n] = drawn(n, s, kept[row], gone[row])
    text = Noisy(ids=ids, real=real, noise=noise, vocabulary=vocabulary, uniforms=kept)
    # The encoder reads the text with one sentinel for each span, the decoder writes the spans, each behind its
    # sentinel. Both together are hardly longer than the text: no token is read and written.
    return denoise(text, noise_as_sentinels, rest_as_sentinels)


def drawn(
    n: int, s: SpanCorruption, kept_uniforms: Sequence[float], gone_uniforms: Sequence[float]
) -> NDArray[np.bool_]:
    """Which of ``n`` tokens are missing: (n,). What stays and what goes take turns, and the first token stays."""
    missing, gaps = counts(n, s)
    if not gaps:
        return np.zeros(n, dtype=bool)
    # Spans and what stands between them are two compositions of the same number of parts, drawn evenly.
    kept, gone = parts(n - missing, gaps, kept_uniforms), parts(missing, gaps, gone_uniforms)
    return np.repeat(np.tile([False, True], gaps), np.column_stack([kept, gone]).ravel())


def parts(n: int, count: int, uniforms: Sequence[float]) -> Ids:
    """``n`` things in a row, cut into ``count`` parts of at least one; every way to do so is as likely: (count,)."""
    # n - 1 places to cut, count - 1 of them drawn without replacement: every composition is as likely.
    cuts = np.sort(np.argsort(uniforms[: n - 1], kind="stable")[: count - 1]) + 1
    return np.diff(np.concatenate([[0], cuts, [n]]))
