"""Text normalisation before tokenizing: made writable, and cut where a tokenizer can take it part by part."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

STRETCH, SHARED = 2**14, 2**9  # characters in a stretch; that two stretches share where they must
_SEAM = re.compile(r".*\S(?=[ \n])", re.DOTALL)


def clean(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, so that it can be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def stretches(text: str) -> Iterator[str]:
    """The text in stretches that the library can take without holding a hundred times their size in memory.

    A stretch ends where a blank or a new line follows something else. There every tokenizer of the lab ends a token
    anyway; only a text without such a place is cut anywhere.
    """
    start = 0
    while len(text) - start > STRETCH:
        seam = _SEAM.match(text, start, start + STRETCH)
        end = seam.end() if seam else start + STRETCH
        yield text[start:end]
        start = end
    yield text[start:]


def sewn(one: NDArray[np.int64], two: NDArray[np.int64], place: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What to keep of two readings of stretches that overlap around ``place``: the second goes on behind it from the
    first token that both have. Ids, and the characters that each covers: (T, 3)."""
    late = np.flatnonzero(one[:, 1] >= place)
    late_rows = {tuple(one[number].tolist()): number for number in late[::-1].tolist()}
    for number in np.flatnonzero(two[:, 1] >= place).tolist():
        same = late_rows.get(tuple(two[number].tolist()))
        if same is not None:
            return one[:same], two[number:]
    return one[one[:, 1] < place], two[two[:, 1] >= place]
