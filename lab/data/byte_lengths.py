"""How many bytes of a text its tokens stand for: by them nats per token become bits per byte.

V vocabulary
"""

import numpy as np
from numpy.typing import NDArray

from lab.data.stream import Stream
from lab.tokenizer import Tokenizer

AT_ONCE = 1 << 20  # ids that are counted in one go


def byte_lengths(stream: Stream, tokenizer: Tokenizer) -> NDArray[np.float64]:
    """How many bytes of a stream's text each id stands for: (V,). Where its tokens do not spell it exactly, as where
    words are unknown, or spelt with blanks that are not there, each stands for its share of the text's bytes."""
    spelt = tokenizer.token_bytes.astype(np.float64)
    counts = np.zeros(len(spelt), dtype=np.int64)
    for start in range(0, len(stream.ids), AT_ONCE):  # the ids may lie in a file that is larger than memory
        counts += np.bincount(stream.ids[start : start + AT_ONCE], minlength=len(spelt))
    whole = counts @ spelt
    if stream.bytes is None or whole == stream.bytes:
        return spelt
    if whole:
        return spelt * (stream.bytes / whole)
    return np.full(len(spelt), stream.bytes / max(int(counts.sum()), 1))
