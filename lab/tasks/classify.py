"""Sentence classification: one label for a whole text.

A text stands between [CLS] and [SEP]. Of one that is longer than the context the end is read, where a verdict usually
stands. Sun et al. 2019 find the end better than the beginning for reviews, too.

B rows   T tokens
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise, Visible
from lab.catalog import TASKS
from lab.settings import Settings
from lab.vocab import Vocabulary


@TASKS.add(
    "classify",
    title="Sentence classification",
    zh=("句子分类", "为整段文字选一个类别。"),
    paper="Devlin et al. 2018, section 4.1",
    settings=Settings,
    traits={"pools"},
    order=1,
)
def classify(
    rows: Sequence[NDArray[np.int64]], s: Settings, vocabulary: Vocabulary, context: int, visible: Visible
) -> tuple[Exercise, NDArray[np.bool_]]:
    """Finds one label for a whole text.

    Returns the exercise, in which no token is asked, and (B, T) which tokens are real and not padding.
    """
    kept = [row[max(0, len(row) - (context - 2)) :] for row in rows]
    lengths = np.array([len(row) + 2 for row in kept])  # (B,)
    places = np.arange(lengths.max())  # (T,)
    real = places < lengths[:, None]  # (B, T)
    shown = np.full(real.shape, vocabulary.pad, dtype=np.int64)  # (B, T)
    shown[real] = np.concatenate([[vocabulary.begin, *row, vocabulary.separate] for row in kept])
    return Exercise(shown=shown, asked=np.zeros_like(real), answers=shown, visible=visible), real
