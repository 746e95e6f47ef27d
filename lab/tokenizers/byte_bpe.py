"""Byte-level BPE: start from the 256 bytes and merge the most frequent pair of neighbours, again and again.

Every text can be written with bytes, so nothing is ever unknown and decoding gives the text back exactly. Which words
are cut where says lab.tokenizers.parts.cutting, how a pair is merged lab.tokenizers.parts.merging.

Among equally frequent pairs the one with the smaller ids is merged first, as in the tokenizers library; the other rule
is that of the course CS336 and takes the pair that is greatest in the order of bytes. A pair that occurs only once is
never merged, so a short text may give a smaller vocabulary than was asked for.

A Chinese character is three bytes, and one that is rare in the text stays in pieces. With ``chinese`` set to
"characters" each common character is a token from the start and none is merged with another, as in Chinese BERT.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from lab.catalog import TOKENIZERS
from lab.settings import Settings, SettingsError, knob
from lab.token_bytes import BYTES, LETTERS
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.chinese_characters import COMMON, HAN, common
from lab.tokenizers.parts.cutting import WORDS, counted, tidy
from lab.tokenizers.parts.growing_sizes import nested
from lab.tokenizers.parts.merging import TIES, Merging, encode
from lab.vocabulary import SPECIALS

CHINESE = ("merged", "characters")


@dataclass(frozen=True, kw_only=True)
class BytePairs(Settings):
    """How far byte-level BPE goes."""

    vocabulary: int = knob(
        2048,
        f"Vocabulary size, 256 bytes and {len(SPECIALS)} special tokens included",
        f"词表大小，含 256 个字节和 {len(SPECIALS)} 个特殊词元",
        low=256 + len(SPECIALS),
        high=65536,
        step=1,
    )
    ties: str = knob(
        "smallest", "Ties: which of equally frequent pairs merges first", "次数相同时先合并哪一对", choices=TIES
    )
    chinese: str = knob(
        "merged",
        f"Chinese: merged like letters, or each of the {len(COMMON):,} commonest characters one token",
        f"中文切分：像字母一样合并，或 {len(COMMON):,} 个常用字各为一个词元",
        choices=CHINESE,
    )

    def check(self) -> None:
        if self.chinese != "characters":
            return
        least = 256 + len(SPECIALS) + len(common())
        if self.vocabulary < least:
            raise SettingsError(
                f"a vocabulary of {self.vocabulary} has no room for the common Chinese characters: take {least} or "
                "more, or let Chinese be merged",
                f"词表大小 {self.vocabulary} 放不下常用汉字：请取 {least} 以上，或让汉字参与合并",
            )


@TOKENIZERS.add(
    "byte_bpe",
    title="Byte-level BPE",
    zh=("字节级 BPE", "从 256 个字节出发，反复合并最常相邻的一对；任何文字都能还原。"),
    paper="Radford et al. 2019, section 2.2",
    settings=BytePairs,
    order=1,
    keeps="everything",
    ends="pairs",
    growing=partial(nested, "byte_bpe"),
)
def byte_bpe(texts: Iterable[str], s: BytePairs) -> Tokenizer:
    """Merges frequent neighbours, starting from the 256 bytes; any text can be written and read back.

    Raises SettingsError if the texts are empty.
    """
    inner = tokenizers.Tokenizer(models.BPE())
    apart = [pre_tokenizers.Split(HAN, "isolated")] if s.chinese == "characters" else []
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(WORDS, "isolated"),
            *apart,
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    inner.decoder = decoders.ByteLevel()
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges_before = [(letters_of(left), letters_of(right)) for left, right in common()] if apart else []
    learn_merges(inner, tidy(texts), letters, s, lambda token: bytes(BYTES[letter] for letter in token), merges_before)
    return Tokenizer(inner, "byte_bpe")


def letters_of(token: bytes) -> str:
    """Bytes as the letters that stand for them in a vocabulary."""
    return "".join(LETTERS[byte] for byte in token)


def learn_merges(
    inner: tokenizers.Tokenizer,
    texts: Iterable[str],
    letters: Sequence[str],
    s: Any,
    order: Callable[[str], Any],
    known: Sequence[tuple[str, str]] = (),
) -> None:
    """Learn merges until there are ``s.vocabulary`` tokens: the special ones, the ``letters``, then the merged ones.

    ``order`` is what "greatest" compares two tokens by; the merges that are ``known`` beforehand come first.
    """
    if s.ties == "smallest" and not known:
        trainer = trainers.BpeTrainer(
            vocab_size=s.vocabulary,
            min_frequency=2,
            show_progress=False,
            special_tokens=list(SPECIALS),
            initial_alphabet=list(letters),
        )
        inner.train_from_iterator(texts, trainer)
        return
    written = {order(token): token for token in (*letters, *map("".join, known))}
    vocab = {token: number for number, token in enumerate((*SPECIALS, *written.values()))}
    merges = list(known)
    ranks = {(order(left), order(right)): rank for rank, (left, right) in enumerate(known)}
    words = [
        (encode([order(letter) for letter in word], ranks), times) for word, times in counted(inner, texts).items()
    ]
    for merge in Merging(words, written, ties=s.ties):
        if len(vocab) == s.vocabulary:
            break
        pair = written[merge.left], written[merge.right]
        written[merge.token] = "".join(pair)
        vocab.setdefault("".join(pair), len(vocab))
        merges.append(pair)
    inner.model = models.BPE(vocab=vocab, merges=merges, unk_token=inner.model.unk_token)
    inner.add_special_tokens(list(SPECIALS))
