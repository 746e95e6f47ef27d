"""The special tokens around a text in a run, and what is left of a long one: found out by showing it some.

Whoever loads an exported run must do the same to a text, and nobody need write down twice what the lab does.

T tokens
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.inference.inputs import framed, labelled, reading
from lab.inference.model import Trained
from lab.settings import SettingsError

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Framing:
    """The special tokens around a text, and the segments of these and of the text between them."""

    before: tuple[int, ...]
    behind: tuple[int, ...]
    segments: tuple[int, ...]  # of what stands before, of the text, of what stands behind
    longest: int  # tokens, those around the text included
    keeps: str  # which side of a text that is too long goes: "left" or "right"

    @property
    def around(self) -> Ids:
        """A text without a token, framed: (T,)."""
        return np.array([*self.before, *self.behind], dtype=np.int64)


def framing(trained: Trained, script: int = 0) -> Framing:
    """How the model is shown a text. Where that depends on the text's ``script``, 1 is East Asia's, -1 the Latin one,
    and 0 that of most of the vocabulary."""
    vocabulary = trained.tokenizer.vocabulary
    scripts = vocabulary.script(vocabulary.ordinary)
    like = vocabulary.ordinary[scripts == (script or np.sign(scripts.sum()))]
    early, late = (like if len(like) > 1 else vocabulary.ordinary)[[0, -1]]  # two tokens tell which end is kept
    ids, segments = _shown(trained, np.repeat([early, late], trained.context))
    text = np.flatnonzero(np.isin(ids, [early, late]))
    first, last = int(text[0]), int(text[-1])
    return Framing(
        before=tuple(ids[:first].tolist()),
        behind=tuple(ids[last + 1 :].tolist()),
        segments=tuple(segments[[*range(first + 1), *range(last + 1, len(ids))]].tolist()),
        longest=len(ids),
        keeps="right" if early in ids or trained.run.task not in (None, "classify") else "left",
    )


def _shown(trained: Trained, ids: Ids) -> tuple[Ids, Ids]:
    """A text as the model reads it, and the segment of each token: (T,) each."""
    if trained.run.task:
        exercise = labelled(trained, ids)
    elif trained.left_to_right:  # what it goes on from is the end
        opens = np.array(trained.opens, dtype=np.int64)
        return np.concatenate([opens, ids[len(opens) - trained.lookback :]]), np.zeros(trained.lookback, dtype=np.int64)
    elif trained.seq2seq is not None:
        source = _source(trained, ids)
        return source, np.zeros_like(source)
    else:
        exercise = reading(trained, framed(trained, ids))
    shown = exercise.shown[0]
    return shown, np.zeros_like(shown) if exercise.segments is None else exercise.segments[0]


def _source(trained: Trained, ids: Ids) -> Ids:
    try:
        return framed(trained, ids)
    except SettingsError:  # an imported tokenizer may lack the marks without which the model cannot be asked
        return ids[: trained.context]
