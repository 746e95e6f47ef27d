"""Attention maps: who looks at whom inside a trained model, on one text.

T tokens that look   S tokens looked at   L layers   H heads
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.inference.model import Trained
from lab.inference.probe import watching
from lab.inference.shown import Shown, shown
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
    return maps_of(trained, shown(trained, text, longest))


def maps_of(trained: Trained, asked: Shown) -> list[Maps]:
    """The same of what is shown already."""
    with torch.no_grad(), watching(trained.model) as seen:
        trained.model(asked.batch)
    read, written = (trained.tokenizer.pieces(part) for part in (asked.read, asked.written))
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
