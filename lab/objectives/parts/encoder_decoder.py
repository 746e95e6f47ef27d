"""The exercise of an encoder-decoder: the encoder reads a source, the decoder writes its target token by token.

B rows   T tokens   S tokens of a source
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.padding import Rows, closed_up, padded
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]


def encoder_decoder(sources: Sequence[Ids], targets: Sequence[Ids], first: Sequence[int], pad: int) -> Exercise:
    """The exercise to write each target after its source. By teacher forcing, the decoder has ``first`` and the target
    so far, and is asked for what comes next. All rows are padded to the longest."""
    return of_tables(padded(sources, pad), padded(targets, pad), first, pad)


def of_tables(source: Rows, target: Rows, first: Sequence[int], pad: int) -> Exercise:
    """The same, of rows that are padded already."""
    answers, real = target
    # Teacher forcing: at each place the decoder is shown the true tokens so far, whatever it would have written. All
    # places of a target are thereby one pass.
    shown = np.column_stack([first, answers[:, :-1]])
    return Exercise(
        shown=np.where(real, shown, pad),
        asked=real.copy(),
        answers=answers,
        following=True,
        visible="causal",
        real=real,
        source=source[0],
        source_real=source[1],
    )


def ended(ids: Ids, kept: NDArray[np.bool_], vocabulary: Vocabulary) -> Rows:
    """What is ``kept`` of each row (B, T), and the end behind it."""
    end = np.full((len(ids), 1), vocabulary.separate)
    return closed_up(np.append(ids, end, 1), np.append(kept, end == end, 1), vocabulary.pad)
