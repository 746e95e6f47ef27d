"""What one measures of generated texts: perplexity, repetition, diversity, and how their tokens are distributed.

N texts   T tokens of one
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lab.tasks.metrics.bleu import ORDER, bleu

Text = Sequence[int]  # the ids of its tokens


@dataclass(frozen=True)
class Diversity:
    """Of N texts: ``repeated`` is the share of a text's 4-grams that it holds twice, the mean over texts (seq-rep-4,
    Welleck et al. 2019); ``distinct`` the share of different bigrams among all bigrams of all texts (distinct-2, Li et
    al. 2015); ``self_bleu`` the mean BLEU of each text against all others, 0 to 100 (Zhu et al. 2018); ``zipf`` the
    exponent of the law that the counts of tokens follow (Holtzman et al. 2019, section 5). None where the texts are too
    few or too short to tell."""

    repeated: float | None
    distinct: float | None
    self_bleu: float | None
    zipf: float | None

    @classmethod
    def of(cls, texts: Sequence[Text]) -> "Diversity":
        """Of these texts, all measured on tokens."""
        twice = [1 - len(grams) / grams.total() for grams in (ngrams(text, 4) for text in texts) if grams]
        bigrams = sum((ngrams(text, 2) for text in texts), Counter[tuple[int, ...]]())
        return cls(
            repeated=sum(twice) / len(twice) if twice else None,
            distinct=len(bigrams) / bigrams.total() if bigrams else None,
            self_bleu=self_bleu(texts),
            zipf=zipf(texts),
        )


def ngrams(text: Text, n: int) -> Counter[tuple[int, ...]]:
    """How often each n-gram is there."""
    return Counter(zip(*(text[start:] for start in range(n)), strict=False))


def self_bleu(texts: Sequence[Text]) -> float | None:
    """The mean BLEU of each text against all the others, which are its references. A text of fewer tokens than the
    longest n-gram has no BLEU and is left out."""
    texts = [text for text in texts if len(text) >= ORDER]
    if len(texts) < 2:
        return None
    counted = [[ngrams(text, n + 1) for n in range(ORDER)] for text in texts]
    scores = []
    for own, (text, grams) in enumerate(zip(texts, counted, strict=True)):
        right = []
        for n in range(ORDER):
            most = Counter[tuple[int, ...]]()
            for other, theirs in enumerate(counted):
                most |= theirs[n] if other != own else Counter()
            right.append((grams[n] & most).total())
        nearest = min((abs(len(other) - len(text)), len(other)) for at, other in enumerate(texts) if at != own)[1]
        scores.append(bleu(right, [each.total() for each in grams], len(text), nearest))
    return sum(scores) / len(scores)


def zipf(texts: Sequence[Text]) -> float | None:
    """The exponent s of count ~ rank^-s over the tokens of all texts: the slope of a line of least squares through the
    logarithms. People's texts have about 1."""
    counts = np.array(sorted(Counter(chain.from_iterable(texts)).values(), reverse=True), dtype=np.float64)
    if len(counts) < 3:
        return None
    slope = np.polyfit(np.log(np.arange(1, len(counts) + 1)), np.log(counts), 1)[0]
    return float(-slope)


def perplexity(logprobs: Sequence[float]) -> float | None:
    """exp of the mean surprise of the tokens, whose log-probabilities these are, in nats."""
    return math.exp(-sum(logprobs) / len(logprobs)) if logprobs else None
