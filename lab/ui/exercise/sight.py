"""Who may look at whom in an exercise, with the tokens that are read.

T tokens that are read: by an encoder, where there is one, and then what is shown
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.analysis.preview import Corrupted
from lab.batch import Exercise
from lab.spelling import spellings
from lab.ui.components.mask_table import mask_value


def sight(corrupted: Corrupted, group: str) -> tuple[dict[str, Any], str]:
    """The table as a component's value, and the name of the line about it. Where there is an order, the tokens stand in
    it: first those that all may see, then one after another."""
    texts = spellings(corrupted.tokenizer.pieces(read(corrupted)))
    whole: Exercise = corrupted.exercise
    if whole.order is None:
        rule = whole.visible if whole.source is None else "source"
        return mask_value(texts, sees(corrupted), group), rule if isinstance(rule, str) else "table"
    turns = whole.order[0].argsort(kind="stable")
    return mask_value([texts[place] for place in turns], sees(corrupted)[turns][:, turns]), "order"


def read(corrupted: Corrupted) -> NDArray[np.int64]:
    """All that is read: (T,)."""
    whole: Exercise = corrupted.exercise
    return whole.shown[0] if whole.source is None else np.concatenate([whole.source[0], whole.shown[0]])


def sees(corrupted: Corrupted) -> NDArray[np.bool_]:
    """Who may look at whom: (T, T). Everybody looks at a source, which looks at nothing else."""
    whole: Exercise = corrupted.exercise
    table = whole.table()
    table = table if table.ndim == 2 else table[0]
    if whole.source is None:
        return table
    source = whole.source.shape[1]
    full = np.zeros((source + len(table),) * 2, dtype=bool)
    full[:, :source] = True
    full[source:, source:] = table
    return full
