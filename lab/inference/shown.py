"""What a model is shown when somebody looks into it: a text and, for a decoder beside an encoder, the answer it writes.

T tokens that look   S tokens looked at
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from lab.batch import Batch, Exercise, collate
from lab.catalog import MODELS, OBJECTIVES
from lab.inference.decoding import Blanks, reply
from lab.inference.inputs import framed, reading, with_special_tokens
from lab.inference.model import Trained
from lab.inference.probe import attends
from lab.settings import SettingsError

WRITTEN = 12  # tokens that a model writes into a gap to be looked at


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A text as the model reads it, and the batch of which nothing is asked. In a single stack ``written`` is ``read``;
    a decoder has ``written`` the answer, the likeliest token at each step. A model that writes into gaps has written
    into the first one, ``behind`` the text."""

    batch: Batch
    read: NDArray[np.int64]  # (S,)
    written: NDArray[np.int64]  # (T,)
    behind: int = 0  # how many of those that are read the model wrote into the gap, with what opens them

    @property
    def text(self) -> NDArray[np.int64]:
        """What was given, framed."""
        return self.read[: len(self.read) - self.behind]

    @property
    def answer(self) -> NDArray[np.int64] | None:
        """What the model has written: all of a decoder's text, or what stands in the first gap. None where nothing."""
        if self.batch.source is not None:
            return self.written
        return self.read[len(self.text) + 1 :] if self.behind else None


def shown(trained: Trained, text: str, longest: int | None = None) -> Shown:
    """``text`` cut to the model's context, and to ``longest`` tokens where that is less. Behind the first [SEP] the
    second segment begins where the model knows segments. Raises SettingsError where there is nothing to look at."""
    if not attends(trained.model):
        raise SettingsError(
            "this model has no attention: choose one with attention layers",
            "这个模型没有注意力：请选择会回看各个词元的模型",
        )
    ids = framed(trained, with_special_tokens(trained, text), longest)
    if not len(ids):
        raise SettingsError("type some text first", "请先输入文本")
    if trained.seq2seq is None:
        return showing(trained, ids)
    return showing(trained, ids, reply(trained, ids, min(longest or trained.context, trained.context)))


def showing(trained: Trained, ids: NDArray[np.int64], written: NDArray[np.int64] | None = None) -> Shown:
    """The same of framed ids (S,), and of what a decoder has ``written`` (T,), or what stands in the first gap; what
    the model itself writes there where that is not given."""
    gap = trained.fills_onward and bool((ids == trained.tokenizer.vocabulary.gap).any())
    if gap and (exercise := _filled(trained, ids, written)) is not None:
        read = exercise.shown[0]
        batch = collate(replace(exercise, asked=np.zeros_like(exercise.asked))).to(trained.device)
        return Shown(batch=batch, read=read, written=read, behind=len(read) - len(ids))
    if written is not None and trained.seq2seq is not None:
        batch = Batch(shown=torch.from_numpy(written)[None], source=torch.from_numpy(ids)[None], visible="causal")
        return Shown(batch=batch.to(trained.device), read=ids, written=written)
    exercise = exercise_of(trained, ids)
    exercise = replace(exercise, asked=np.zeros_like(exercise.asked))
    return Shown(batch=collate(exercise).to(trained.device), read=ids, written=ids)


def exercise_of(trained: Trained, ids: NDArray[np.int64]) -> Exercise:
    """How the model is shown framed ids (T,) whose gaps are to be filled; a pair of texts in two segments."""
    exercise, second = reading(trained, ids), _second(trained, ids)
    return exercise if second is None else replace(exercise, segments=second)


def _filled(trained: Trained, ids: NDArray[np.int64], written: NDArray[np.int64] | None) -> Exercise | None:
    """A text whose first gap is written behind it, a few tokens at most; None where there is no room."""
    filling = OBJECTIVES[trained.run.objective].decoding.filling
    most = min(WRITTEN, trained.context - len(ids) - 1)
    if filling is None or most < 0:
        return None
    if written is None:
        tokens = Blanks(trained, ids).fill(most) if most else []
        written = np.array([token.id for token in tokens], dtype=np.int64)
    return filling(ids, [written], trained.tokenizer.vocabulary)


def _second(trained: Trained, ids: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """1 behind the first [SEP], else 0: (1, T). None where no second text begins, or the model knows no segments."""
    if "segments" not in MODELS[trained.run.model].traits:
        return None
    behind = np.cumsum(ids == trained.tokenizer.vocabulary.separate)
    behind = np.concatenate([[0], behind[:-1]]).clip(max=1)
    alone = trained.tokenizer.vocabulary.is_special(ids[behind == 1]).all()
    return None if alone else behind[None].astype(np.int64)
