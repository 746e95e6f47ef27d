"""BLEU: how many of the n-grams of what was written stand in a reference (Papineni et al. 2002).

Corpus BLEU as sacrebleu has it (Post 2018): tokens of its "13a" rules, or with every Chinese character by itself;
counts are summed over the corpus; where no n-gram of a length is right, half of one is counted, then a quarter, and so
on. Its "zh" writes the block of rare characters, U+20000 to U+2A6D6, with four digits of them, and the fifth is read as
a character: what stands alone there is U+2001 to U+2A6D instead, dashes, ellipses and arrows among them.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from operator import add

from lab.tasks.metrics.scripts import BLOCKS, CHINESE

ORDER = 4  # the longest n-grams
_ALONE = re.compile(f"([\u2001-\u2a6d{BLOCKS}])")
_ESCAPED = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_RULES = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),  # punctuation stands alone
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),  # stops and commas, but for those inside numbers
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def tokens(text: str, *, chinese: bool = False) -> list[str]:
    """The tokens of a text by sacrebleu's rules "13a", or "zh"."""
    if chinese:
        line = _ALONE.sub(r" \1 ", text.strip())
    else:
        line = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        for escaped, sign in _ESCAPED:
            line = line.replace(escaped, sign)
        line = f" {line} "
    for rule, new in _RULES:
        line = rule.sub(new, line)
    return line.split()


def corpus_bleu(generated: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU of a corpus, 0 to 100, where each text has one reference or several; Chinese by character."""
    chinese = any(CHINESE.search(text) for texts in references for text in texts)
    right, whole, length, reference_length = [0] * ORDER, [0] * ORDER, 0, 0
    for text, others in zip(generated, references, strict=True):
        hits, written, words, nearest = _counts(text, tuple(others), chinese)
        right, whole = [*map(add, right, hits)], [*map(add, whole, written)]
        length, reference_length = length + words, reference_length + nearest
    return bleu(right, whole, length, reference_length)


@lru_cache(maxsize=4096)  # a bootstrap asks about each text hundreds of times
def _counts(text: str, others: tuple[str, ...], chinese: bool) -> tuple[list[int], list[int], int, int]:
    """The n-grams of a text that stand in a reference, and all of them, by length; the tokens of the text, and of the
    reference that is nearest in length."""
    words, tokenized = tokens(text, chinese=chinese), [tokens(other, chinese=chinese) for other in others]
    _, nearest = min((abs(len(reference) - len(words)), len(reference)) for reference in tokenized)
    right, whole = list[int](), list[int]()
    for n in range(1, ORDER + 1):
        grams, most = ngrams(words, n), Counter[tuple[str, ...]]()
        for reference in tokenized:
            most |= ngrams(reference, n)
        right.append(sum((grams & most).values()))
        whole.append(sum(grams.values()))
    return right, whole, len(words), nearest


def bleu(right: Sequence[int], whole: Sequence[int], length: int, reference_length: int) -> float:
    """BLEU of these counts: the geometric mean of the precisions, less where what was written is too short."""
    if not any(right) or not all(whole):
        return 0.0
    missing, logs = 0, list[float]()
    for hits, count in zip(right, whole, strict=True):
        missing += hits == 0
        logs.append(math.log((hits or 2.0**-missing) / count))
    brevity = min(1.0, math.exp(1 - reference_length / length))
    return 100 * brevity * math.exp(sum(logs) / len(logs))


def ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram is there."""
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))
