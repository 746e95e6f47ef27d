"""Text to text: the other ways in which T5's authors let a decoder learn from a text alone, before they chose spans.

Six rows of the paper's table 3. Tokens fall one by one, each with the same chance, as in the published code; a text
that would lose none loses one. Where spans of them give way to sentinels there are a hundred of those, and what would
need more stays. The mask that BERT's and MASS's ways put in the place of tokens is [MASK]; the code takes its first
sentinel.

B rows   T tokens
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding, Gap, Seq2Seq
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Packing, Rates
from lab.noise import Dice
from lab.objectives.denoising import gaps as between
from lab.objectives.parts import denoise
from lab.objectives.parts.sentinels import SENTINELS, gaps, opening, read, starts
from lab.objectives.prefix_lm import Prefix, lengths
from lab.settings import knob
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]
Uniforms = NDArray[np.float64]


def each_alone(real: Mask, uniforms: Uniforms, density: float) -> Mask:
    """Noise at each token with the same chance; in a text that would have none, at one: (B, T)."""
    return real & ((uniforms < density) | (uniforms == np.where(real, uniforms, 2.0).min(1, keepdims=True)))


def while_sentinels_last(real: Mask, uniforms: Uniforms, density: float) -> Mask:
    """The same, as long as there is a sentinel for the next span: (B, T)."""
    noise = each_alone(real, uniforms, density)
    return noise & (starts(noise).cumsum(1) <= len(SENTINELS))


def all_behind(real: Mask, uniforms: Uniforms, density: float) -> Mask:
    """Noise at everything behind a random place, whatever the density: (B, T)."""
    return real & (np.arange(real.shape[1]) >= lengths(real.sum(1), Prefix(), uniforms[:, 0])[:, None])


def without_masks(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text with masks as the encoder reads it that has never seen any."""
    return np.append(ids[ids != vocabulary.mask], vocabulary.separate)


def with_masks(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text with masks as the encoder reads it that knows one for each token."""
    return np.append(ids, vocabulary.separate)


def whole(source: Ids, answer: Ids, vocabulary: Vocabulary) -> list[Gap]:
    """All of the answer, for a text whose masks nobody has read."""
    return [Gap(range(len(answer)), answer[:0], frozenset(vocabulary.specials.values()))]


SPANS = Seq2Seq(read=read, opening=opening, gaps=gaps, says=SENTINELS)
MASKS = Seq2Seq(read=with_masks, opening=opening, gaps=between)
TEXTS = Seq2Seq(read=without_masks, opening=opening, gaps=whole)


@dataclass(frozen=True)
class Way:
    """A row of the table: which tokens are noise, what is read, what is written, and how one asks who learnt it."""

    noise: Callable[[Mask, Uniforms, float], Mask]
    inputs: denoise.Part
    targets: denoise.Part
    asked: Seq2Seq


PREFIX, BERT_STYLE, DESHUFFLING = "prefix", "bert_style", "deshuffling"
# T5's three axes: which tokens are noise, what the encoder reads of it, what the decoder writes. A row of the paper's
# table 3 is a choice on each.
WAYS = {
    PREFIX: Way(all_behind, denoise.without_noise, denoise.noise_alone, TEXTS),
    BERT_STYLE: Way(each_alone, denoise.masked, denoise.whole, MASKS),
    DESHUFFLING: Way(each_alone, denoise.shuffled, denoise.whole, TEXTS),
    "mass_style": Way(each_alone, denoise.masked, denoise.whole, MASKS),
    "replace_spans": Way(while_sentinels_last, denoise.noise_as_sentinels, denoise.noise_behind_sentinels, SPANS),
    "drop_tokens": Way(each_alone, denoise.without_noise, denoise.noise_alone, TEXTS),
}


@dataclass(frozen=True, kw_only=True)
class TextToText(ObjectiveSettings):
    """What is done to the text, and to how much of it."""

    way: str = knob(
        BERT_STYLE,
        "Corruption: prefix, BERT-style, deshuffling, MASS-style, replaced spans, dropped tokens",
        "损坏方式：前缀、BERT 式、还原打乱、MASS 式、替换片段、删去词元",
        choices=tuple(WAYS),
    )
    share: float = knob(
        0.15,
        "Corruption rate: share of tokens (not for prefix and deshuffling)",
        "损坏率：被处理词元的比例（前缀和还原打乱不用）",
        low=0.01,
        high=0.9,
        step=0.01,
    )
    random: float = knob(
        0.1,
        "BERT-style: share replaced by random tokens",
        "BERT 式：换成随机词元的比例",
        low=0.0,
        high=1.0,
        step=0.05,
    )
    dynamic: bool = knob(True, "New noise in every epoch", "每轮重新加噪声")
    copies: int = knob(1, "If drawn once: copies used in turn", "只抽一次时：轮流使用的副本数", low=1, high=100)


def missing(ids: Ids, s: TextToText, vocabulary: Vocabulary) -> float:
    """The share of a text (T,) that the encoder does not get to read, on average."""
    n = max(len(ids), 1)
    falls = s.share + (1 - s.share) ** n / n
    shares = {PREFIX: 0.5 if n > 1 else 0.0, DESHUFFLING: 0.0, BERT_STYLE: falls * (1 - s.random)}
    return shares.get(s.way, falls)


def seq2seq(s: TextToText) -> Seq2Seq:
    """How a model is asked that learnt so."""
    return WAYS[s.way].asked


@OBJECTIVES.add(
    "text_to_text",
    title="Text to text",
    zh=("文本到文本", "以六种方式之一破坏一段文字，由解码器写出原文或缺少的部分。"),
    paper="Raffel et al. 2019, sections 3.3.1 and 3.3.2, table 3",
    settings=TextToText,
    traits={"writes"},
    stage="token",
    learnt_by=("T5", "MASS"),
    frame="plain",
    order=20.5,
    rates=Rates(missing=missing),
    decoding=Decoding(seq2seq=seq2seq),
    packing=Packing(special_tokens=SENTINELS[::-1], room=lambda context, s: context - 2),
)
def text_to_text(ids: Ids, s: TextToText, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Corrupts a text in one of six ways; the decoder writes all of it, or what is missing."""
    way, real, t = WAYS[s.way], ids != vocabulary.pad, ids.shape[1]
    # Drawn alike for each way: with one seed, those that drop single tokens drop the same ones.
    uniforms, others = dice.random(t), vocabulary.ordinary[dice.integers(0, len(vocabulary.ordinary), t)]  # (B, T)
    text = denoise.Noisy(
        ids=ids,
        real=real,
        noise=way.noise(real, uniforms, s.share),
        vocabulary=vocabulary,
        uniforms=uniforms,
        others=np.where(dice.random(t) < s.random, others, -1) if s.way == BERT_STYLE else None,
    )
    return denoise.denoise(text, way.inputs, way.targets)
