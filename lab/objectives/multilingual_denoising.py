"""Multilingual denoising: a damaged text and its language, to be written as it was, the language last.

A source and its answer end in a token that names the language, and the decoder starts from it. Here a text is Chinese
if more of its tokens open with characters than with letters, else English. Unlike the paper, no mark stands between
sentences.

B rows   T tokens
"""

from dataclasses import dataclass

import numpy as np

from lab.asking import Decoding, Seq2Seq
from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.entries import Packing, Rates
from lab.noise import Dice
from lab.objectives.denoising import (
    Denoising,
    damaged,
    gaps,
    missing,
    once,
    share_of_words,
    span_of_words,
    uniforms_for_rows,
)
from lab.objectives.parts.damage import Ids
from lab.objectives.parts.encoder_decoder import encoder_decoder
from lab.settings import SettingsError
from lab.vocabulary import Vocabulary

LANGUAGES = ENGLISH, CHINESE = ("en_XX", "zh_CN")  # as published


@dataclass(frozen=True, kw_only=True)
class MultilingualDenoising(Denoising):
    """The same ways of damage as BART's, a little more of it."""

    share: float = share_of_words(0.35)
    span: float = span_of_words(3.5)


def ended(text: Ids, vocabulary: Vocabulary, language: int) -> Ids:
    """A text with its end and its language."""
    return np.concatenate([text, [vocabulary.separate, language]])


def language(text: Ids, vocabulary: Vocabulary) -> int:
    """The token of the language that a text is written in."""
    name = CHINESE if vocabulary.script(text).sum() > 0 else ENGLISH
    if name not in vocabulary.specials:  # of an imported one
        raise SettingsError(
            f"this model's tokenizer has no token for the language {name}",
            f"这个模型的分词器没有表示语言 {name} 的词元",
        )
    return vocabulary.specials[name]


def read(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text with masks as the encoder reads it: a run of masks is one, and the end and the language follow."""
    return ended(once(ids, vocabulary), vocabulary, language(ids, vocabulary))


def opening(source: Ids, vocabulary: Vocabulary) -> Ids:
    """What the decoder has before it writes: the language of the source."""
    return source[-1:]


@OBJECTIVES.add(
    "multilingual_denoising",
    title="Multilingual denoising",
    zh=("多语言去噪", "还原受损的文字，末尾的词元标明语言，解码器也从它开始写。"),
    paper="Liu et al. 2020, section 2.2",
    settings=MultilingualDenoising,
    traits={"writes"},
    stage="token",
    frame="plain",
    order=22,
    rates=Rates(missing=missing),
    decoding=Decoding(seq2seq=Seq2Seq(read=read, opening=opening, gaps=gaps)),
    packing=Packing(special_tokens=LANGUAGES, room=lambda context, s: context - 2),
)
def multilingual_denoising(ids: Ids, s: MultilingualDenoising, vocabulary: Vocabulary, dice: Dice) -> Exercise:
    """BART's denoising with a language token at the end of the source, with which the target begins and ends."""
    texts = [row[row != vocabulary.pad] for row in ids]
    names = [language(text, vocabulary) for text in texts]
    rows = [*zip(texts, names, uniforms_for_rows(dice, ids.shape[1]), strict=True)]
    # The language stands at the end of the source and at the start of the target: in translation the two differ, and
    # the second says into which language.
    sources = [ended(damaged(text, s, vocabulary, uniforms), vocabulary, name) for text, name, uniforms in rows]
    targets = [ended(text, vocabulary, name) for text, name, _ in rows]
    return encoder_decoder(sources, targets, names, vocabulary.pad)
