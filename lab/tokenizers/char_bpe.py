"""Character BPE: start from the characters of the text and merge the most frequent pair of neighbours.

It splits text as byte_bpe does but knows no bytes, so a character that is not in its alphabet reads as [UNK] and is
lost. The alphabet holds every character of the text if the vocabulary has room for all of them; a vocabulary of just
that size merges nothing and gives plain characters. If there is no room, the alphabet holds the most frequent
characters that cover 99.95 % of the text, or as many as fit: merges of common characters are worth more than a place
for each rare one.
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
from lab.tokenizers.byte_bpe import learn_merges
from lab.tokenizers.parts.cutting import WORDS, alphabet, tidy, without
from lab.tokenizers.parts.growing_sizes import nested
from lab.tokenizers.parts.merging import TIES
from lab.vocabulary import SPECIALS, UNKNOWN


@dataclass(frozen=True, kw_only=True)
class CharacterPairs(Settings):
    """How far character BPE goes."""

    vocabulary: int = knob(
        2048,
        f"Vocabulary size, {len(SPECIALS)} special tokens included",
        f"词表大小，含 {len(SPECIALS)} 个特殊词元",
        low=len(SPECIALS) + 1,
        high=65536,
        step=1,
    )
    ties: str = knob(
        "smallest", "Ties: which of equally frequent pairs merges first", "次数相同时先合并哪一对", choices=TIES
    )


@TOKENIZERS.add(
    "char_bpe",
    title="Character BPE",
    zh=("字符级 BPE", "从文本中的字符出发，反复合并最常相邻的一对；没见过的字符记作未知。"),
    paper="Sennrich et al. 2016, section 3.2",
    settings=CharacterPairs,
    order=2,
    keeps="characters",
    ends="pairs",
    growing=partial(nested, "char_bpe"),
)
def char_bpe(texts: Iterable[str], s: CharacterPairs) -> Tokenizer:
    """Merges frequent neighbours, starting from the characters of the text; others are unknown to it.

    Raises SettingsError if the texts are empty.
    """
    parts = tidy(texts)
    counts: Counter[str] = Counter()
    for text in parts:
        counts.update(text)
    kept = alphabet(counts, s.vocabulary - len(SPECIALS))
    inner = tokenizers.Tokenizer(models.BPE(unk_token=UNKNOWN))
    inner.pre_tokenizer = pre_tokenizers.Split(WORDS, "isolated")
    inner.decoder = decoders.Fuse()
    learn_merges(inner, without(Counter(parts), counts.keys() - kept).elements(), sorted(kept), s, str)
    return Tokenizer(inner, "char_bpe")
