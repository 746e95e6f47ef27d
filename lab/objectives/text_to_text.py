"""Text to text: the other ways in which T5's authors let a decoder learn from a text alone, before they chose spans.

Six rows of the paper's table 3. Tokens fall one by one, each with the same chance, as in the published code; a text
that would lose none loses one. Where runs of them give way to marks there are a hundred marks, and what would need
more stays. The mask that BERT's and MASS's ways put in the place of tokens is [MASK]; the code takes its first mark.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise, Rows, Writing, answering, closed_up
from lab.catalog import OBJECTIVES
from lab.entries import Decoding, ObjectiveSettings, Packing, Rates
from lab.noise import Dice
from lab.objectives.denoising import gaps as between
from lab.objectives.prefix_lm import Prefix, lengths
from lab.objectives.span_corruption import MARKS, gaps, marks, opening, read
from lab.settings import knob
from lab.vocab import Vocabulary

Ids = NDArray[np.int64]
Marked = NDArray[np.bool_]
WAYS = PREFIX, BERT, SHUFFLED, MASS, REPLACED, DROPPED = (
    "prefix",
    "bert_style",
    "deshuffling",
    "mass_style",
    "replace_spans",
    "drop_tokens",
)


@dataclass(frozen=True, kw_only=True)
class TextToText(ObjectiveSettings):
    """What is done to the text, and to how much of it."""

    way: str = knob(
        BERT,
        "Corruption: prefix, BERT-style, deshuffling, MASS-style, replaced spans, dropped tokens",
        "损坏方式：前缀、BERT 式、还原打乱、MASS 式、替换片段、删去词元",
        choices=WAYS,
    )
    rate: float = knob(
        0.15, "Corruption rate: share of tokens", "损坏率：被处理词元的比例", low=0.01, high=0.9, step=0.01
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
    falls = s.rate + (1 - s.rate) ** n / n
    shares = {PREFIX: 0.5 if n > 1 else 0.0, SHUFFLED: 0.0, BERT: falls * (1 - s.random)}
    return shares.get(s.way, falls)


def without_masks(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text with masks as the encoder reads it that has never seen any."""
    return np.append(ids[ids != vocabulary.mask], vocabulary.separate)


def with_masks(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text with masks as the encoder reads it that knows one for each token."""
    return np.append(ids, vocabulary.separate)


def writing(s: TextToText) -> Writing:
    """How a model is asked that learnt so."""
    if s.way == REPLACED:
        return Writing(read=read, opening=opening, gaps=gaps, says=MARKS)
    if s.way in (BERT, MASS):
        return Writing(read=with_masks, opening=opening, gaps=between)
    return Writing(read=without_masks, opening=opening, gaps=lambda source, answer, words: [range(len(answer))])


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
    decoding=Decoding(writing=writing),
    packing=Packing(marks=MARKS[::-1], room=lambda context, s: context - 2),
)
def text_to_text(ids: Ids, s: TextToText, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Corrupts a text in one of six ways; the decoder writes all of it, or what is missing."""
    real, t = ids != vocabulary.pad, ids.shape[1]
    n = real.sum(1)  # (B,)
    luck, other = dice.random(t), vocabulary.ordinary[dice.integers(0, len(vocabulary.ordinary), t)]  # (B, T)
    gone = real & ((luck < s.rate) | (luck == np.where(real, luck, 2.0).min(1, keepdims=True)))
    if s.way == PREFIX:
        gone = real & (np.arange(t) >= lengths(n, Prefix(), luck[:, 0])[:, None])
    source = target = (ids, real)
    if s.way == BERT:
        source = (np.where(gone, np.where(dice.random(t) < s.random, other, vocabulary.mask), ids), real)
    elif s.way == MASS:
        source = (np.where(gone, vocabulary.mask, ids), real)
    elif s.way == SHUFFLED:
        order = np.where(real, luck, 2.0).argsort(1, kind="stable")
        source = (np.take_along_axis(ids, order, 1), np.arange(t) < n[:, None])
    elif s.way == REPLACED:
        gone &= _runs(gone).cumsum(1) <= len(MARKS)
        source, target = _marked(ids, real, gone, vocabulary)
    else:
        source, target = (ids, real & ~gone), (ids, gone)
    first = [vocabulary.pad] * len(ids)
    return answering(_ended(source, vocabulary), _ended(target, vocabulary), first, vocabulary.pad)


def _ended(rows: Rows, vocabulary: Vocabulary) -> Rows:
    """What is kept of each row, and the end behind it."""
    ids, kept = rows
    end = np.full((len(ids), 1), vocabulary.separate)
    return closed_up(np.append(ids, end, 1), np.append(kept, end == end, 1), vocabulary.pad)


def _runs(gone: Marked) -> Marked:
    """Where a run of those that are gone begins: (B, T)."""
    return gone & ~np.append(np.zeros((len(gone), 1), dtype=bool), gone[:, :-1], 1)


def _marked(ids: Ids, real: Marked, gone: Marked, vocabulary: Vocabulary) -> tuple[Rows, Rows]:
    """The rows with a mark for each run of those that are gone, and each mark with the run behind it."""
    first = _runs(gone)
    names = marks(vocabulary)[np.clip(first.cumsum(1) - 1, 0, len(MARKS) - 1)]  # (B, T)
    said = np.stack([names, ids], -1).reshape(len(ids), -1)  # (B, 2 T): before each token there is room for a mark
    return (np.where(first, names, ids), real & (first | ~gone)), (
        said,
        np.stack([first, gone], -1).reshape(said.shape),
    )
