"""Sentence classification: one label for a whole text.

A text stands between [CLS] and [SEP] or, where the frame is "closed", before [SEP] and [CLS], a segment of its own. Of
one that is longer than the context the end is read, where a verdict usually stands. Sun et al. 2019 find the end better
than the beginning for reviews, too.

B rows   T tokens
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise, Visible
from lab.catalog import TASKS
from lab.settings import Settings
from lab.vocabulary import Vocabulary


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
    rows: Sequence[NDArray[np.int64]],
    s: Settings,
    vocabulary: Vocabulary,
    context: int,
    visible: Visible,
    frame: str = "bounded",
) -> tuple[Exercise, NDArray[np.bool_]]:
    """Finds one label for a whole text.

    Returns the exercise, in which no token is asked, and (B, T) which tokens are real and not padding.
    """
    kept = [row[max(0, len(row) - (context - 2)) :] for row in rows]
    lengths = np.array([len(row) + 2 for row in kept])  # (B,)
    places = np.arange(lengths.max())  # (T,)
    real = places < lengths[:, None]  # (B, T)
    shown = np.full(real.shape, vocabulary.pad, dtype=np.int64)  # (B, T)
    begin, separate = [vocabulary.begin], [vocabulary.separate]
    closed = frame == "closed"
    around = ([], separate + begin) if closed else (begin, separate)
    shown[real] = np.concatenate([[*around[0], *row, *around[1]] for row in kept])
    segments = (shown == vocabulary.begin).astype(np.int64) if closed else None
    nothing = np.zeros_like(real)
    return Exercise(shown=shown, asked=nothing, answers=shown, visible=visible, segments=segments), real
