"""Byte-level tokenizer: each byte of the UTF-8 is a token, as in ByT5; there is nothing to learn or to lose."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from lab.catalog import TOKENIZERS
from lab.settings import Settings
from lab.token_bytes import BYTES
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.cutting import tidy
from lab.vocabulary import SPECIALS


@dataclass(frozen=True, kw_only=True)
class Bytes(Settings):
    """Nothing to choose: there are 256 bytes."""

    vocabulary: ClassVar[int] = len(SPECIALS) + 256


@TOKENIZERS.add(
    "bytes",
    title="Bytes",
    zh=("字节", "每个 UTF-8 字节一个词元；不需要学习，也不会丢失任何内容。"),
    paper="Xue et al. 2021 (ByT5), section 3.1",
    settings=Bytes,
    order=6,
    keeps="everything",
    ends="bytes",
    growing=lambda texts, sizes: iter([_all(texts)]),
)
def plain_bytes(texts: Iterable[str], s: Bytes) -> Tokenizer:
    """Makes every byte of the UTF-8 a token: 256 suffice for any text, and texts get long.

    Raises SettingsError if the texts are empty.
    """
    return _all(texts)


def _all(texts: Iterable[str]) -> Tokenizer:
    tidy(texts)
    letters = sorted(BYTES, key=lambda letter: BYTES[letter])
    vocab = {token: number for number, token in enumerate((*SPECIALS, *letters))}
    inner = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(list(SPECIALS))
    return Tokenizer(inner, "bytes")
