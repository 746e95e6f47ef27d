"""T5's sentinels: special tokens of which each stands for one span of missing text.

B rows   T tokens
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lab.asking import Gap
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]
SENTINELS = tuple(f"<extra_id_{number}>" for number in range(100))  # the first of them has the highest id


def sentinels(vocabulary: Vocabulary) -> Ids:
    """The ids of the sentinels, in the order in which a text uses them."""
    return np.array([vocabulary.role(name) for name in SENTINELS], dtype=np.int64)


def starts(noise: Mask) -> Mask:
    """Where a span of noise begins: (B, T)."""
    # A span begins at noise that has none before it.
    return noise & ~np.append(np.zeros((len(noise), 1), dtype=bool), noise[:, :-1], 1)


def in_place_of(noise: Mask, ids: Ids, real: Mask, vocabulary: Vocabulary) -> tuple[Ids, Mask]:
    """The rows with a sentinel in the place of each span of ``noise``: ids, and which of them are kept (B, T)."""
    first = starts(noise)
    return np.where(first, _names(first, vocabulary), ids), real & (first | ~noise)


def before(noise: Mask, ids: Ids, vocabulary: Vocabulary) -> tuple[Ids, Mask]:
    """The spans of ``noise`` alone, each behind its sentinel: ids, and which of them are kept (B, 2 T)."""
    first = starts(noise)
    both = np.stack([_names(first, vocabulary), ids], -1)  # (B, T, 2): before each token there is room for a sentinel
    return both.reshape(len(ids), -1), np.stack([first, noise], -1).reshape(len(ids), -1)


def _names(first: Mask, vocabulary: Vocabulary) -> Ids:
    """The sentinel of the span that begins here or has begun last: (B, T)."""
    # The n-th span of a row has the n-th sentinel: counting starts is numbering spans.
    return sentinels(vocabulary)[np.clip(first.cumsum(1) - 1, 0, len(SENTINELS) - 1)]


def read(ids: Ids, vocabulary: Vocabulary) -> Ids:
    """A text (T,) with masks as the encoder reads it: each run of masks is one sentinel, and the end follows."""
    text = ids[None]
    replaced, kept = in_place_of(text == vocabulary.mask, text, np.ones_like(text, dtype=bool), vocabulary)
    return np.append(replaced[kept], vocabulary.separate)


def opening(source: Ids, vocabulary: Vocabulary) -> Ids:
    """What the decoder has before it writes: as published, padding."""
    return np.array([vocabulary.pad], dtype=np.int64)


def gaps(source: Ids, answer: Ids, vocabulary: Vocabulary) -> list[Gap]:
    """What the answer says of each sentinel of the source; one that it leaves out would come behind all of it."""
    names, end, special = sentinels(vocabulary), len(answer), frozenset(vocabulary.specials.values())
    at = [*np.flatnonzero(np.isin(answer, names)).tolist(), end]
    # From the last to the first: of a sentinel that a model wrote twice, the first stays.
    behind = {int(answer[first]): range(first + 1, last) for first, last in reversed([*pairwise(at)])}
    left_out = range(end, end)
    return [
        Gap(behind[name], answer[: behind[name].start], special)
        if name in behind
        else Gap(left_out, np.append(answer, name), special)
        for name in source[np.isin(source, names)].tolist()
    ]
