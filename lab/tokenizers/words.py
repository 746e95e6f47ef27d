"""Word-level tokenizer: the most frequent words are tokens, and all others are unknown.

A word takes along the blank before it, as in byte_bpe. Chinese and Japanese are written without blanks: there each
character is a word.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from lab.catalog import TOKENIZERS
from lab.settings import Settings, knob
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.cutting import counted, most_common, tidy
from lab.tokenizers.parts.growing_sizes import ascending
from lab.vocabulary import SPECIALS, UNKNOWN

_EAST = r"\p{Han}\p{Hiragana}\p{Katakana}"
PARTS = tokenizers.Regex(
    rf"'(?:[sdmt]|ll|ve|re)| ?[{_EAST}]| ?[\p{{L}}\p{{M}}&&[^{_EAST}]]{{1,64}}| ?\p{{N}}{{1,64}}"
    r"| ?[^\s\p{L}\p{M}\p{N}]|\s"
)


@dataclass(frozen=True, kw_only=True)
class Words(Settings):
    """How many words are known."""

    vocabulary: int = knob(
        8192,
        f"At most so many tokens, {len(SPECIALS)} special ones included",
        f"词表上限，含 {len(SPECIALS)} 个特殊词元",
        low=len(SPECIALS) + 1,
        high=65536,
        step=1,
    )


@TOKENIZERS.add(
    "words",
    title="Whole words",
    zh=("整词", "最常见的词各占一个词元，其余的词一律未知；中文按字。"),
    paper="Bengio et al. 2003, section 4",
    settings=Words,
    order=7,
    keeps="words",
    ends="words",
    growing=lambda texts, sizes: ascending(partial(_known, counted(_cutter(), tidy(texts))), sizes),
)
def whole_words(texts: Iterable[str], s: Words) -> Tokenizer:
    """Makes every frequent word a token; all other words are unknown, and Chinese is cut into characters.

    Raises SettingsError if the texts are empty.
    """
    return _known(counted(_cutter(), tidy(texts)), s.vocabulary)


def _cutter() -> tokenizers.Tokenizer:
    inner = tokenizers.Tokenizer(models.WordLevel(unk_token=UNKNOWN))
    inner.pre_tokenizer = pre_tokenizers.Split(PARTS, "isolated")
    inner.decoder = decoders.Fuse()
    return inner


def _known(counts: Counter[str], vocabulary: int) -> Tokenizer:
    inner = _cutter()
    tokens = (*SPECIALS, *most_common(counts, vocabulary - len(SPECIALS)))
    inner.model = models.WordLevel(vocab={word: number for number, word in enumerate(tokens)}, unk_token=UNKNOWN)
    inner.add_special_tokens(list(SPECIALS))
    return Tokenizer(inner, "words")
