"""What a model is shown when somebody looks into it: a text and, for a decoder beside an encoder, the answer it writes.

T tokens that look   S tokens looked at
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from lab.batch import Batch, collate
from lab.catalog import MODELS
from lab.inference.decoding import reply
from lab.inference.inputs import framed, reading, with_marks
from lab.inference.model import Trained
from lab.inference.probe import attends
from lab.settings import SettingsError


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A text as the model reads it, and the batch of which nothing is asked. In a single stack ``written`` is ``read``;
    a decoder has ``written`` the answer, the likeliest token at each step."""

    batch: Batch
    read: NDArray[np.int64]  # (S,)
    written: NDArray[np.int64]  # (T,)


def shown(trained: Trained, text: str, longest: int | None = None) -> Shown:
    """``text`` cut to the model's context, and to ``longest`` tokens where that is less. Behind the first [SEP] the
    second segment begins where the model knows segments. Raises SettingsError where there is nothing to look at."""
    if not attends(trained.model):
        raise SettingsError(
            "this model has no attention: choose one with attention layers",
            "这个模型没有注意力：请选择会回看各个词元的模型",
        )
    ids = framed(trained, with_marks(trained, text), longest)
    if not len(ids):
        raise SettingsError("type some text first", "请先输入文本")
    if trained.seq2seq is not None:
        answer = reply(trained, ids, min(longest or trained.context, trained.context))
        batch = Batch(shown=torch.from_numpy(answer)[None], source=torch.from_numpy(ids)[None], visible="causal")
        return Shown(batch=batch.to(trained.device), read=ids, written=answer)
    exercise = reading(trained, ids)
    exercise = replace(exercise, asked=np.zeros_like(exercise.asked), segments=segments(trained, ids))
    return Shown(batch=collate(exercise).to(trained.device), read=ids, written=ids)


def segments(trained: Trained, ids: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Which segment each token is in: (1, T), 1 behind the first [SEP]. None where no second one begins, or the model
    knows none."""
    second = np.cumsum(ids == trained.tokenizer.vocabulary.separate)
    second = np.concatenate([[0], second[:-1]]).clip(max=1)
    inside = ids[second == 1]
    alone = not len(inside) or trained.tokenizer.vocabulary.is_special(inside).all()
    if alone or "segments" not in MODELS[trained.run.model].traits:
        return None
    return second[None].astype(np.int64)
