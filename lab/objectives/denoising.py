"""Denoising: a damaged text, which is to be written as it was.

The paper pretrains with infilling and sentences out of order, the other noises are its comparison. As in the published
code, words are whole; unlike it, no more masks for no words are put in than tokens have gone, so that a source fits.

B rows   T tokens
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from lab.asking import Decoding, Gap, Seq2Seq
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveSettings, Rates
from lab.noise import Dice
from lab.objectives.parts.damage import Ids, Uniforms, deleted, gone_by_infilling, infilled, masked, permuted, rotated
from lab.objectives.parts.encoder_decoder import encoder_decoder
from lab.settings import knob
from lab.vocabulary import Vocabulary


def share_of_words(usual: float) -> Any:
    """The setting that says how many words go."""
    about = "If noise on words: share of words removed", "对词加噪声时：去掉的词的比例"
    return knob(usual, *about, low=0.01, high=0.9, step=0.01)


def span_of_words(usual: float) -> Any:
    """The setting that says how long the spans are."""
    return knob(
        usual, "Text infilling: mean span length in words", "文本填充：片段的平均词数", low=0.5, high=20.0, step=0.5
    )


@dataclass(frozen=True, kw_only=True)
class Denoising(ObjectiveSettings):
    """What is done to the text: one of the ways of the paper's figure 2, or several of them."""

    noise: str = knob(
        "infilling",
        "Noise on words: text infilling, token masking, token deletion, or none",
        "对词的噪声：文本填充、词元掩码、词元删除，或不加",
        choices=("infilling", "masking", "deletion", "none"),
    )
    share: float = share_of_words(0.3)
    span: float = span_of_words(3.0)
    permute: bool = knob(True, "Sentence permutation", "打乱句子次序")
    rotate: bool = knob(False, "Document rotation: begin at a random token", "文档旋转：从随机词元开始")
    dynamic: bool = knob(True, "New noise in every epoch", "每轮重新加噪声")
    copies: int = knob(1, "If drawn once: copies used in turn", "只抽一次时：轮流使用的副本数", low=1, high=100)


def once(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text in which each run of masks is one."""
    gap = ids == vocabulary.mask
    return ids[~(gap & np.concatenate([[False], gap[:-1]]))]


def read(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text with masks as the encoder reads it: a run of masks is one, and the text is bounded."""
    return np.array([vocabulary.begin, *once(ids, vocabulary), vocabulary.separate], dtype=np.int64)


def opening(source: Ids, vocabulary: Vocabulary) -> Ids:
    """What the decoder has before it writes: as published the end of a text, and the beginning that is always next."""
    return np.array([vocabulary.separate, vocabulary.begin], dtype=np.int64)


def gaps(source: Ids, answer: Ids, vocabulary: Vocabulary) -> list[Gap]:
    """What of the answer stands for each run of masks, where both texts are laid side by side. An answer without the
    token before a run has lost it: there an answer would go on behind the source's own text."""
    # The decoder wrote the whole text again, in its own words: what it put into a gap is what stands between the
    # neighbours of the gap that both texts have.
    blocks = SequenceMatcher(None, source.tolist(), answer.tolist(), autojunk=False).get_matching_blocks()
    behind = {b.a + b.size: b.b + b.size for b in blocks if b.size}  # where both go on after what they share
    behind[read := int(source[0] == vocabulary.begin)] = 0  # the answer has the beginning before it, as its opening
    found: list[Gap] = []
    own: list[int] = []  # the source's text, and in its gaps what the answer has for them
    edges = np.flatnonzero(np.diff(source == vocabulary.mask, prepend=False, append=False)).reshape(-1, 2)
    for start, stop in edges.tolist():
        own += source[read:start].tolist()
        at = behind.get(start, len(answer))
        end = min((b.b for b in blocks if b.size and b.a >= stop), default=len(answer))
        place = range(at, max(at, end))
        before = answer[:at] if start in behind else np.array(own, dtype=np.int64)
        found.append(Gap(place, before, frozenset({int(source[stop]), *vocabulary.specials.values()})))
        own += answer[place.start : place.stop].tolist()
        read = stop
    return found


def missing(ids: Ids, s: Denoising, vocabulary: Vocabulary) -> float:
    """The share of a text (T,) that the encoder does not get to read, on average."""
    if s.noise == "infilling":
        chances = Dice(0, np.arange(200 if s.permute else 0)).random(len(ids))
        orders = [permuted(ids, vocabulary, uniforms) for uniforms in chances] or [ids]
        return gone_by_infilling(orders, s.share, s.span, vocabulary)
    return 0.0 if s.noise == "none" else float(np.ceil(s.share * len(ids)) / len(ids))


@OBJECTIVES.add(
    "denoising",
    title="Denoising",
    zh=("去噪还原", "打乱句子，几个片段各换成一个掩码，由解码器还原全文。"),
    paper="Lewis et al. 2019, section 2.2",
    settings=Denoising,
    traits={"writes"},
    stage="token",
    frame="bounded",
    order=21,
    rates=Rates(missing=missing),
    decoding=Decoding(seq2seq=Seq2Seq(read=read, opening=opening, gaps=gaps)),
)
def denoising(ids: Ids, s: Denoising, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """Shuffles sentences and replaces spans of words by one mask each; the decoder restores the text."""
    targets = [row[row != vocabulary.pad] for row in ids]
    sources = []
    # The frame of the text ([CLS], [SEP]) is no part of what is damaged.
    for text, uniforms in zip(targets, uniforms_for_rows(dice, ids.shape[1]), strict=True):
        sources.append(np.concatenate([text[:1], damaged(text[1:-1], s, vocabulary, uniforms), text[-1:]]))
    # The target is the whole text and not only the gaps, unlike T5: dearer, but the decoder learns to write texts.
    return encoder_decoder(sources, targets, [vocabulary.separate] * len(ids), vocabulary.pad)


def uniforms_for_rows(dice: Dice, t: int) -> list[tuple[Uniforms, ...]]:
    """What chance gives each row: for the order of sentences; lengths, places and further masks; where to begin."""
    return [*zip(*(dice.random(n) for n in (t, 2 * t, t, 2 * t, 1)), strict=True)]


def damaged(text: Ids, s: Denoising, vocabulary: Vocabulary, uniforms: Sequence[Uniforms]) -> Ids:
    """The text after each of the ways that the settings name."""
    order, lengths, places, extra, begin = uniforms
    # Sentences first: spans are then cut from the text as the encoder will read it.
    text = permuted(text, vocabulary, order) if s.permute else text
    if s.noise == "infilling":
        text = infilled(text, s.share, s.span, vocabulary, (lengths, places, extra))
    elif s.noise == "masking":
        text = masked(text, s.share, vocabulary.mask, places)
    elif s.noise == "deletion":
        text = deleted(text, s.share, places)
    return rotated(text, begin[0]) if s.rotate else text
