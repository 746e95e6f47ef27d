"""Exact match and F1 of answers, with SQuAD's normalisation: case, punctuation, articles and blanks do not count.

As in SQuAD's evaluation script; an answer in Chinese is compared character by character and without its own marks, as
in CMRC's. The best of several answers counts. Where there is no answer, to say nothing is right.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from lab.tasks.metrics.scripts import CHINESE, apart

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKS = re.compile("[\u2018-\u201f\u2026\u2014\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]")


@lru_cache(maxsize=4096)  # a bootstrap asks about each answer hundreds of times
def tokens(answer: str) -> tuple[str, ...]:
    """What is left of an answer to compare: words, and Chinese characters one by one."""
    lower = answer.lower()
    if CHINESE.search(lower):
        lower = apart(_MARKS.sub("", lower))
    plain = "".join(character for character in lower if character not in string.punctuation)
    return tuple(_ARTICLES.sub(" ", plain).split())


def exact_match(predicted: str, answers: Sequence[str]) -> float:
    """1 where the answer is one of those that are right, else 0."""
    return max((float(tokens(predicted) == tokens(answer)) for answer in answers or [""]), default=0.0)


def overlap_f1(predicted: str, answers: Sequence[str]) -> float:
    """The harmonic mean of precision and recall over tokens, of the nearest right answer."""
    return max(_f1(tokens(predicted), tokens(answer)) for answer in answers or [""])


def _f1(predicted: Sequence[str], answer: Sequence[str]) -> float:
    if not predicted or not answer:
        return float(predicted == answer)
    shared = sum((Counter(predicted) & Counter(answer)).values())
    return 2 * shared / (len(predicted) + len(answer))
