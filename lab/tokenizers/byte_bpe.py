"""Byte-level BPE: start from the 256 bytes and merge the most frequent pair of neighbours, again and again.

Every text can be written with bytes, so nothing is ever unknown and decoding gives the text back exactly. As in
GPT-2, a text is first split into words, numbers, marks and blanks, and no token crosses such a border. A run longer
than 64 characters is cut as well, which GPT-2 does not do, so that one endless word cannot stall the trainer.

Among equally frequent pairs the one with the smaller ids is merged first. A pair that occurs only once is never
merged, so a short text may give a smaller vocabulary than was asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from lab.catalog import TOKENIZERS
from lab.settings import Settings, SettingsError, knob
from lab.vocab import SPECIALS, Tokenizer, clean, stretches

# GPT-2's pattern, with every run cut at 64.
WORDS = tokenizers.Regex(
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}{1,64}| ?\p{N}{1,64}| ?[^\s\p{L}\p{N}]{1,64}|\s{1,64}(?!\S)|\s{1,64}"
)


@dataclass(frozen=True, kw_only=True)
class BytePairs(Settings):
    """How far byte-level BPE goes."""

    vocabulary: int = knob(
        2048,
        f"Vocabulary size, 256 bytes and {len(SPECIALS)} special tokens included",
        f"词表大小，含 256 个字节和 {len(SPECIALS)} 个特殊符号",
        low=256 + len(SPECIALS),
        high=65536,
        step=1,
    )


@TOKENIZERS.add(
    "byte_bpe",
    title="Byte-level BPE",
    zh=("字节级 BPE", "从 256 个字节出发，反复合并最常相邻的一对；任何文字都能还原。"),
    paper="Radford et al. 2019, section 2.2",
    settings=BytePairs,
    order=1,
)
def byte_bpe(texts: Iterable[str], s: BytePairs) -> Tokenizer:
    """Merges frequent neighbours, starting from the 256 bytes; any text can be written and read back.

    Raises SettingsError if the texts are empty.
    """
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(WORDS, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    inner.decoder = decoders.ByteLevel()
    learn_merges(inner, tidy(texts), pre_tokenizers.ByteLevel.alphabet(), s.vocabulary)
    return Tokenizer(inner, "byte_bpe")


def tidy(texts: Iterable[str]) -> list[str]:
    """The texts in stretches of bearable length; an error if there is nothing in them."""
    found = [part for text in texts for part in stretches(clean(text)) if part]
    if not found:
        raise SettingsError("there is no text to train a tokenizer on", "没有可用来训练分词器的文本")
    return found


def learn_merges(inner: tokenizers.Tokenizer, texts: Iterable[str], alphabet: Iterable[str], vocabulary: int) -> None:
    """Learn merges until there are ``vocabulary`` tokens: the special ones, the alphabet, then the merged ones."""
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        show_progress=False,
        special_tokens=list(SPECIALS),
        initial_alphabet=sorted(alphabet),
    )
    inner.train_from_iterator(texts, trainer)
