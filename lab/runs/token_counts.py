"""Token counts: how often each token stands in the text that a run learns from, kept beside its tokenizer.

V vocabulary
"""

import json

import numpy as np
from numpy.typing import NDArray

from lab.runs.files import write
from lab.runs.folder import RunFolder

TOKEN_COUNTS = "token_counts.json"


def keep(folder: RunFolder, counts: NDArray[np.int64]) -> None:
    """Keep the ``counts`` (V,) with the run."""
    write(folder.path / TOKEN_COUNTS, json.dumps({"counts": counts.tolist()}))


def kept(folder: RunFolder, size: int) -> NDArray[np.int64] | None:
    """The counts of a vocabulary of this ``size``: (V,). None of a run that has kept none, as one whose text was still
    arriving when it began, or whose file is damaged."""
    counts = folder.document(TOKEN_COUNTS).get("counts")
    whole = isinstance(counts, list) and len(counts) == size and all(type(n) is int and 0 <= n < 2**63 for n in counts)
    return np.array(counts, dtype=np.int64) if whole else None
