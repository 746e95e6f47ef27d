"""Alignment: where the decoder beside an encoder looked in its source when it wrote each token (cross-attention).

L layers   T tokens written   S tokens of the source
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from lab.inference.attention_maps import maps_of
from lab.inference.decoding import GREEDY, Reply, decode
from lab.inference.inputs import framed, with_gaps
from lab.inference.model import Trained
from lab.inference.shown import showing
from lab.settings import SettingsError
from lab.tokenizer import Piece


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """``shares`` are the weights of the cross-attention in each layer, the mean of its heads: a row sums to 1."""

    shares: Tensor  # (L, T, S)
    source: list[Piece]  # S
    written: list[Piece]  # T


def alignment(trained: Trained, text: str, longest: int | None = None) -> Alignment:
    """What the model answers to ``text``, the likeliest token at each step, at most ``longest`` tokens, and where its
    decoder looked when each was still to come: a token is written from the position before it, so this is the row of
    the token that it stands behind (Bahdanau et al. 2015, figure 3, aligns so). Raises SettingsError for a model that
    is no encoder-decoder."""
    if trained.seq2seq is None:
        raise SettingsError(
            "this model is no encoder-decoder: choose one, such as T5 or BART",
            "这个模型不是编码器-解码器：请选择这样的模型，如 T5 或 BART",
        )
    reply = Reply(trained, trained.seq2seq, framed(trained, with_gaps(trained, text)))
    opening = len(reply.ids)
    for _ in decode(trained, reply, GREEDY, min(longest or trained.context, trained.context)):
        pass
    asked = showing(trained, reply.source, np.array(reply.ids[: trained.context]))
    cross = next(maps for maps in maps_of(trained, asked) if maps.kind == "cross")
    written = reply.ids[opening:]
    rows = cross.maps[:, :, opening - 1 : opening - 1 + len(written)]  # (L, H, T, S)
    return Alignment(shares=rows.mean(1), source=cross.looked, written=trained.tokenizer.pieces(written))
