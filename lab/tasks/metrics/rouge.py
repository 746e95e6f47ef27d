"""ROUGE-L: F-score of the longest common subsequence of what was written and a reference (Lin 2004).

Words are lower-cased runs of letters and digits, as in Google's rouge_score without its stemmer; Chinese characters are
taken one by one.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from lab.tasks.metrics.scripts import CHINESE, apart

_WORD = re.compile(r"[a-z0-9]+")


def tokens(text: str) -> list[str]:
    """The words of a text, and its Chinese characters."""
    words = list[str]()
    for part in apart(text.lower()).split():
        words += [part] if CHINESE.fullmatch(part) else _WORD.findall(part)
    return words


def rouge_l(text: str, references: Sequence[str]) -> float:
    """The F-score, 0 to 1, against the nearest reference."""
    return max(_f1(text, reference) for reference in references)


@lru_cache(maxsize=4096)  # a bootstrap asks about each text hundreds of times
def _f1(text: str, reference: str) -> float:
    written, wanted = tokens(text), tokens(reference)
    shared = common(written, wanted)
    return 2 * shared / (len(written) + len(wanted)) if shared else 0.0


def common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for word in one:
        diagonal = 0
        for place, token in enumerate(other, start=1):
            diagonal, row[place] = row[place], diagonal + 1 if word == token else max(row[place], row[place - 1])
    return row[-1]
