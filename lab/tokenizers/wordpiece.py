"""WordPiece: words are spelt from the longest pieces that are known; "##" marks a piece that goes on with a word.

As in BERT, a text is cut at white space and at punctuation, and each Chinese character is a word. White space is then
forgotten, and with ``lowercase`` capitals and accents as well. If a word cannot be spelt, all of it reads as [UNK].

Schuster and Nakajima merge the pair that raises the likelihood most; BERT's trainer was never published, and the
tokenizers library, with which others are made today, merges the most frequent pair. So does this file; its pieces come
in a fixed order, where the library's depends on chance.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

from lab.catalog import TOKENIZERS
from lab.settings import Settings, knob
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.cutting import alphabet, counted, tidy
from lab.tokenizers.parts.growing_sizes import INSIDE, nested
from lab.tokenizers.parts.merging import Merging
from lab.vocabulary import SPECIALS, UNKNOWN

LONGEST = 100  # characters of a word; BERT's own limit


@dataclass(frozen=True, kw_only=True)
class WordPieces(Settings):
    """How many pieces there are, and whether they have capitals."""

    vocabulary: int = knob(
        2048,
        f"Vocabulary size, {len(SPECIALS)} special tokens included",
        f"词表大小，含 {len(SPECIALS)} 个特殊词元",
        low=len(SPECIALS) + 1,
        high=65536,
        step=1,
    )
    lowercase: bool = knob(False, "Drop capitals and accents, as BERT uncased", "去掉大写与重音（同 BERT uncased）")


@TOKENIZERS.add(
    "wordpiece",
    title="WordPiece",
    zh=(
        "WordPiece",
        "用最长的已知片段拼出单词；拼不出的词记作未知，不保留空白。片段在此按 BPE 学（原法按似然）。",
    ),
    paper="Schuster and Nakajima 2012; Devlin et al. 2018, section 3",
    settings=WordPieces,
    order=3,
    keeps="letters",
    ends="pairs",
    growing=partial(nested, "wordpiece"),
)
def wordpiece(texts: Iterable[str], s: WordPieces) -> Tokenizer:
    """Spells words from the longest known pieces, learnt here as in BPE (originally by likelihood); else unknown.

    Raises SettingsError if the texts are empty.
    """
    inner = tokenizers.Tokenizer(models.WordPiece())
    inner.normalizer = normalizers.BertNormalizer(lowercase=s.lowercase)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece(prefix=INSIDE, cleanup=False)
    words = [(spelt(word), times) for word, times in counted(inner, tidy(texts)).items() if len(word) <= LONGEST]
    room = s.vocabulary - len(SPECIALS)
    letters = sorted(alphabet(_letters(words), room))
    numbers = {token: number for number, token in enumerate((*SPECIALS, *letters))}
    written = [(word, times) for word, times in words if numbers.keys() >= set(word)]
    for merge in Merging(written, letters, join=joined):
        if len(numbers) == s.vocabulary:
            break
        numbers.setdefault(merge.token, len(numbers))
    inner.model = models.WordPiece(
        vocab=numbers, unk_token=UNKNOWN, continuing_subword_prefix=INSIDE, max_input_chars_per_word=LONGEST
    )
    inner.add_special_tokens(list(SPECIALS))
    return Tokenizer(inner, "wordpiece")


def spelt(word: str) -> list[str]:
    """The letters of a word, marked where they go on with it."""
    return [word[0], *(INSIDE + letter for letter in word[1:])]


def joined(left: str, right: str) -> str:
    """Two neighbours as one piece."""
    return left + right.removeprefix(INSIDE)


def _letters(words: Iterable[tuple[Sequence[str], int]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, times in words:
        for letter in word:
            counts[letter] += times
    return counts
