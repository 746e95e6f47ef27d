"""chrF: F-score of character n-grams, which asks for no tokens and suits every script (Popović 2015).

As in sacrebleu: characters without blanks, n-grams of one to six, recall counts twice as much as precision, counts are
summed over the corpus; of several references each text is held against the one that suits it best.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lab.tasks.metrics.bleu import ngrams

ORDER, BETA = 6, 2


def corpus_chrf(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """chrF of a corpus, 0 to 100, where each text has one reference or several."""
    total = np.zeros((ORDER, 3))
    for text, others in zip(texts, references, strict=True):
        total += max((_counts(text, other) for other in others), key=_score)
    return _score(total)


@lru_cache(maxsize=4096)  # a bootstrap asks about each text hundreds of times
def _counts(text: str, reference: str) -> NDArray[np.float64]:
    """N-grams of what was written, of the reference, and of both: (ORDER, 3). Those longer than the whole reference do
    not count as written: none of them could be right."""
    rows = []
    for n in range(1, ORDER + 1):
        one, other = (ngrams("".join(words.split()), n) for words in (text, reference))
        rows.append([sum(one.values()) if other else 0, sum(other.values()), sum((one & other).values())])
    return np.array(rows, dtype=np.float64)


def _score(counts: NDArray[np.float64]) -> float:
    there = (counts[:, 0] > 0) & (counts[:, 1] > 0)
    if not there.any():
        return 0.0
    precision, recall = (float((counts[there, 2] / counts[there, side]).mean()) for side in (0, 1))
    below = BETA**2 * precision + recall
    return 100 * (1 + BETA**2) * precision * recall / below if below else 0.0
