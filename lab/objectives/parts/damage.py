"""BART's five noising functions on one text (Lewis et al. 2019, figure 2).

Each takes one text and the numbers in [0, 1) that chance gives it, at least as many as the text has tokens.

T tokens   W words   R runs
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from lab.noise import Dice
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Uniforms = NDArray[np.float64]


def masked(text: Ids, share: float, mask: int, uniforms: Uniforms) -> Ids:
    """The text with a mask in the place of each token of a share, rounded up: (T,)."""
    return np.where(_share(len(text), share, uniforms), mask, text)


def deleted(text: Ids, share: float, uniforms: Uniforms) -> Ids:
    """The text without a share of its tokens, rounded up; where they stood is not said."""
    return text[~_share(len(text), share, uniforms)]


def _share(n: int, share: float, uniforms: Uniforms) -> NDArray[np.bool_]:
    chosen = np.zeros(n, dtype=bool)
    chosen[np.argsort(uniforms[:n])[: math.ceil(share * n)]] = True
    return chosen


def infilled(text: Ids, share: float, span: float, vocabulary: Vocabulary, uniforms: tuple[Uniforms, ...]) -> Ids:
    """The text with one mask in the place of each run of words, and one more for each run of no words.

    ``share`` is that of words that are to go and ``span`` the mean length of a run. Runs may meet, and then fewer
    go. Chance gives their ``lengths``, where they begin, and where the masks for no words stand. Of these there are no
    more than tokens have gone, so that a text never grows.
    """
    # Spans of 0 words are drawn too: a mask where nothing is missing, so that the model cannot trust that there is
    # something to write.
    begins = word_starts(text, vocabulary)
    drawn = runs(math.ceil(share * len(begins)), span, uniforms[0])
    lengths = drawn[drawn > 0]
    chosen = np.argsort(uniforms[1][: len(begins)])[: len(lengths)]
    ends = np.append(begins, len(text))
    first, gone = (np.zeros(len(text), dtype=bool) for _ in range(2))
    for word, length in zip(chosen, lengths, strict=False):
        first[begins[word]] = True
        gone[begins[word] + 1 : ends[min(word + length, len(begins))]] = True
    kept = np.where(first, vocabulary.mask, text)[~gone]
    # Masks for nothing go in last, anywhere.
    more = min(int((drawn == 0).sum()), len(text) - len(kept))
    places = np.sort(np.argsort(uniforms[2][: len(kept) + more])[:more])
    return np.insert(kept, places - np.arange(more), vocabulary.mask)


def permuted(text: Ids, vocabulary: Vocabulary, uniforms: Uniforms) -> Ids:
    """The sentences of the text in random order. What follows the last full stop is a sentence, too: (T,)."""
    ends = np.flatnonzero(vocabulary.stops(text)) + 1
    sentences = [part for part in np.split(text, ends) if len(part)]
    return np.concatenate([sentences[n] for n in np.argsort(uniforms[: len(sentences)])] or [text])


def rotated(text: Ids, uniform: float) -> Ids:
    """The text from a random token on, and then what stood before it: (T,)."""
    return np.roll(text, -int(uniform * len(text)))


def word_starts(text: Ids, vocabulary: Vocabulary) -> Ids:
    """Where the words of a text begin, a special token being one: (W,)."""
    words = vocabulary.words(text[None])[0]
    return np.flatnonzero((words < 0) | (words != np.concatenate([[-2], words[:-1]])))


def runs(words: int, span: float, uniforms: Uniforms) -> Ids:
    """Lengths that follow Poisson's law until there are so many words; the last is made to fit."""
    # More lengths than needed are drawn at once, and the sum decides where to stop.
    lengths = np.searchsorted(_poisson(span), uniforms, side="right")
    total = lengths.cumsum()
    last = min(int(np.searchsorted(total, words)), len(lengths) - 1)
    lengths[last] += words - total[last]
    return lengths[: last + 1] if words else lengths[:0]


def gone_by_infilling(texts: Sequence[Ids], share: float, span: float, vocabulary: Vocabulary) -> float:
    """The share of its tokens that ``infilled`` takes from a text on average, which stands in each of these orders as
    often."""
    shares = []
    for text in texts:
        begins = word_starts(text, vocabulary)
        shares.append(_goes(len(begins), share, span) @ np.diff(np.append(begins, len(text))) / len(text))
    return float(np.mean(shares))


@lru_cache(maxsize=16)
def _goes(words: int, share: float, span: float) -> NDArray[np.float64]:
    """The chance of each word to go: (W,).

    A word stays if each run begins where it does not reach it. The longer the run the fewer such places, and those of
    a longer run are also those of a shorter: the chances multiply. They are averaged over drawn lengths of runs.
    """
    before = np.arange(1, words + 1)  # a run that reaches the second word from the first is two words long
    stays = np.zeros(words)
    for uniforms in Dice(0, np.arange(_DRAWS)).random(2 * words):
        drawn = runs(math.ceil(share * words), span, uniforms)
        lengths = np.sort(drawn[drawn > 0])[::-1, None]  # (R, 1)
        left = words - np.arange(len(lengths))[:, None]  # places that no longer run has taken
        stays += ((left - np.minimum(lengths, before)).clip(min=0) / left).prod(0)
    return 1 - stays / _DRAWS


_DRAWS = 400


@cache
def _poisson(mean: float) -> NDArray[np.float64]:
    """The chance of each length or less, up to where nothing is left."""
    chances = [math.exp(-mean)]
    while sum(chances) < 1 - 1e-12 and len(chances) < 200:
        chances.append(chances[-1] * mean / len(chances))
    return np.cumsum(chances)
