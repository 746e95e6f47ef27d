"""Attention maps: who looks at whom inside a trained model, on one text.

T tokens that look   S tokens looked at   L layers   H heads
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from lab.batch import Batch, collate
from lab.inference.decoding import reply
from lab.inference.inputs import framed, reading, with_gaps
from lab.inference.model import Trained
from lab.inference.probe import attends, watching
from lab.settings import SettingsError
from lab.spelling import spellings
from lab.tokenizer import Piece


@dataclass(frozen=True)
class Maps:
    """The attention maps of every layer and head on one text: the row looks at the column.

    An encoder-decoder has three kinds: its "encoder" and its "decoder" look at themselves, and in "cross" the
    decoder's tokens, the ``lookers``, look at the encoder's. A single stack has one kind, "".
    """

    maps: Tensor  # (L, H, T, S)
    kind: str
    looked: list[Piece]  # S tokens looked at
    looking: list[Piece]  # T tokens that look

    @property
    def tokens(self) -> list[str]:
        """The texts of those looked at: of the columns."""
        return spellings(self.looked)

    @property
    def lookers(self) -> list[str]:
        """The texts of those that look: of the rows."""
        return spellings(self.looking)


def attention(trained: Trained, text: str, longest: int | None = None) -> list[Maps]:
    """Every kind of maps that the model draws of ``text``, cut to its context, and to ``longest`` tokens where that is
    less. A decoder reads the answer that the model itself writes, the likeliest token at each step."""
    if not attends(trained.model):
        raise SettingsError(
            "this model has no attention: choose one with attention layers",
            "这个模型没有注意力：请选择会回看各个词元的模型",
        )
    ids = framed(trained, with_gaps(trained, text), longest)
    if not len(ids):
        raise SettingsError("type some text first", "请先输入文本")
    answer = ids if trained.seq2seq is None else reply(trained, ids, min(longest or trained.context, trained.context))
    if trained.seq2seq is None:
        exercise = reading(trained, ids)
        batch = collate(replace(exercise, asked=np.zeros_like(exercise.asked)))
    else:
        batch = Batch(shown=torch.from_numpy(answer)[None], source=torch.from_numpy(ids)[None], visible="causal")
    with torch.no_grad(), watching(trained.model) as seen:
        trained.model(batch.to(trained.device))
    read, written = (trained.tokenizer.pieces(part) for part in (ids, answer))
    return [
        Maps(
            torch.stack([of_layer[0] for of_layer, of in zip(seen.maps, seen.kinds, strict=True) if of == kind])
            .float()
            .cpu(),
            kind,
            written if kind == "decoder" else read,
            read if kind in ("", "encoder") else written,
        )
        for kind in dict.fromkeys(seen.kinds)
    ]
