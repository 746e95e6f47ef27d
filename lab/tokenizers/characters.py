"""Character-level tokenizer: each character is a token, and what is not among the most frequent ones is unknown."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from lab.catalog import TOKENIZERS
from lab.settings import Settings, knob
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.cutting import most_common, tidy
from lab.tokenizers.parts.growing_sizes import ascending
from lab.vocabulary import SPECIALS, UNKNOWN

EACH = tokenizers.Regex(r"[\s\S]")


@dataclass(frozen=True, kw_only=True)
class Characters(Settings):
    """How many characters are known."""

    vocabulary: int = knob(
        8192,
        f"At most so many tokens, {len(SPECIALS)} special ones included",
        f"词表上限，含 {len(SPECIALS)} 个特殊词元",
        low=len(SPECIALS) + 1,
        high=65536,
        step=1,
    )


@TOKENIZERS.add(
    "characters",
    title="Characters",
    zh=("字符", "每个字符一个词元；表外的字符记作未知。"),
    paper="Sutskever et al. 2011, section 4",
    settings=Characters,
    order=5,
    keeps="characters",
    ends="characters",
    growing=lambda texts, sizes: ascending(partial(_known, counted(texts)), sizes),
)
def characters(texts: Iterable[str], s: Characters) -> Tokenizer:
    """Makes every character a token; a character outside the most frequent ones is unknown.

    Raises SettingsError if the texts are empty.
    """
    return _known(counted(texts), s.vocabulary)


def counted(texts: Iterable[str]) -> Counter[str]:
    """How often each character occurs."""
    counts: Counter[str] = Counter()
    for text in tidy(texts):
        counts.update(text)
    return counts


def _known(counts: Counter[str], vocabulary: int) -> Tokenizer:
    tokens = (*SPECIALS, *most_common(counts, vocabulary - len(SPECIALS)))
    vocab = {token: number for number, token in enumerate(tokens)}
    inner = tokenizers.Tokenizer(models.WordLevel(vocab=vocab, unk_token=UNKNOWN))
    inner.pre_tokenizer = pre_tokenizers.Split(EACH, "isolated")
    inner.decoder = decoders.Fuse()
    inner.add_special_tokens(list(SPECIALS))
    return Tokenizer(inner, "characters")
