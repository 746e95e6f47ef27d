"""Attention maps: who looks at whom inside a trained model, on one text.

T tokens that look   S tokens looked at   L layers   H heads
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lab.inference.model import Trained
from lab.inference.probe import watching
from lab.inference.shown import Shown, shown
from lab.layers.masks import Band
from lab.layers.window import WindowAttention
from lab.spelling import spellings
from lab.tokenizer import Piece

QUERY = "query"  # the kind of a stream that answers in gaps and never sees its own token


@dataclass(frozen=True)
class Maps:
    """The attention maps of every layer and head on one text: the row looks at the column.

    An encoder-decoder has three kinds: its "encoder" and its "decoder" look at themselves, and in "cross" the
    decoder's tokens, the ``lookers``, look at the encoder's. A single stack has one kind, ""; where a second stream
    answers in the gaps, it has maps of the kind "query" beside those, a row for each gap.
    """

    maps: Tensor  # (L, H, T, S)
    kind: str
    looked: list[Piece]  # S tokens looked at
    looking: list[Piece]  # T tokens that look
    places: tuple[int, ...] | None = None  # where in the text they stand, if they are not all of it
    prefix: int | None = None  # so many see one another, where what stands behind them looks back
    reach: int | None = None  # tokens so far apart, or farther, do not see each other

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
    gaps = _queried(trained, asked)
    places = torch.tensor(gaps, device=trained.device)
    batch = replace(asked.batch, asked=places, most=None) if gaps else asked.batch
    with torch.no_grad(), watching(trained.model) as seen:
        trained.model(batch)
    read, written = (trained.tokenizer.pieces(part) for part in (asked.read, asked.written))
    drawn, prefix = [], len(asked.text) if asked.behind else None
    for kind in dict.fromkeys(seen.kinds):
        layers = [of_layer[0] for of_layer, of in zip(seen.maps, seen.kinds, strict=True) if of == kind]
        looking = [read[gap] for gap in gaps] if kind == QUERY else read if kind in ("", "encoder") else written
        looked, own = written if kind == "decoder" else read, gaps if kind == QUERY else None
        drawn.append(Maps(torch.stack(layers).float().cpu(), kind, looked, looking, own, prefix, _reach(trained)))
    return drawn


def _reach(trained: Trained) -> int | None:
    """How far a sliding window reaches, of a model that has one and no token that is seen from everywhere."""
    found = bands(trained)
    return found[0].reach if found and not found[0].leading else None


def bands(trained: Trained) -> list[Band]:
    """Who is near enough to whom, in each part that looks through a sliding window."""
    return [part.band for part in trained.model.modules() if isinstance(part, WindowAttention)]


def _queried(trained: Trained, asked: Shown) -> tuple[int, ...]:
    """The gaps in which a query stream answers, of a model that has one."""
    if asked.batch.order is None:
        return ()
    return tuple((asked.read == trained.tokenizer.vocabulary.gap).nonzero()[0].tolist())
