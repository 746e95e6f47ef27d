"""Pre-tokenization: where a text is cut before a tokenizer learns anything; no token crosses such a border.

As in GPT-2, a text is split into words, numbers, marks and blanks, and a word takes along the blank before it. A run
longer than 64 characters is cut as well, which GPT-2 does not do, so that one endless word cannot stall a trainer.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import tokenizers

from lab.settings import SettingsError
from lab.text import clean, stretches

# GPT-2's pattern, with every run cut at 64.
WORDS = tokenizers.Regex(
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}{1,64}| ?\p{N}{1,64}| ?[^\s\p{L}\p{N}]{1,64}|\s{1,64}(?!\S)|\s{1,64}"
)
COVER = 0.9995  # the share of a text that must be known when not all of it can be (SentencePiece's default)


def tidy(texts: Iterable[str]) -> list[str]:
    """The texts in stretches of bearable length; an error if there is nothing in them."""
    parts = [part for text in texts for part in stretches(clean(text)) if part]
    if not parts:
        raise SettingsError("there is no text to train a tokenizer on", "没有可用来训练分词器的文本")
    return parts


def counted(inner: tokenizers.Tokenizer, texts: Iterable[str]) -> Counter[str]:
    """How often each word occurs, as the tokenizer normalizes and cuts the texts."""
    counts: Counter[str] = Counter()
    splitter: Any = inner.pre_tokenizer
    for text in texts:
        plain = inner.normalizer.normalize_str(text) if inner.normalizer else text
        counts.update(word for word, _ in splitter.pre_tokenize_str(plain))
    return counts


def most_common(counts: Counter[str], room: int) -> list[str]:
    """The ``room`` most frequent, in the order of the alphabet; among equals the smaller ones stay."""
    return sorted(sorted(counts, key=lambda token: (-counts[token], token))[:room])


def alphabet(counts: Counter[str], room: int) -> set[str]:
    """The characters to keep: all if there is room, else the most frequent that cover enough of the text."""
    if len(counts) <= room:
        return set(counts)
    ordered = sorted(counts, key=lambda character: (-counts[character], character))
    covered = accumulate(counts[character] for character in ordered)
    enough = sum(so_far < COVER * counts.total() for so_far in covered) + 1
    return set(ordered[: min(enough, room)])


def without(texts: Counter[str], rare: set[str]) -> Counter[str]:
    """The texts, cut where a rare character stands; its neighbours must not count as a pair."""
    if not rare:
        return texts
    cut = re.compile("[" + re.escape("".join(sorted(rare))) + "]")
    rest: Counter[str] = Counter()
    for text, times in texts.items():
        for part in cut.split(text):
            if part:
                rest[part] += times
    return rest
