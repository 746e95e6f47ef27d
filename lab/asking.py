"""How a model is asked that has learnt an objective, where that is not to fill [MASK] or to go on with a text.

S source   T tokens
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lab.vocabulary import END, SEPARATE, Vocabulary

if TYPE_CHECKING:  # what is picked is listed without loading torch
    from lab.batch import Exercise

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Gap:
    """What an answer (T,) has for a gap of its source: the ``place`` in the answer, empty where nothing stands for it;
    what comes ``before`` the gap in an answer, (B,); and the ids with which an answer ``leaves`` it empty."""

    place: range
    before: Ids
    leaves: frozenset[int]


@dataclass(frozen=True, kw_only=True)
class Seq2Seq:
    """How a model that learnt to write answers to sources is asked to: what an objective must say about it.

    ``read`` makes of a text (T,), in which masks stand for what is missing, what the encoder reads; ``opening`` says
    what the decoder has before it writes; ``gaps`` finds what an answer (T,) has for each run of masks of the source
    (S,). ``says`` names the special tokens that an answer may hold, and ``end`` the one that ends it.
    """

    read: Callable[[Ids, Vocabulary], Ids]
    opening: Callable[[Ids, Vocabulary], Ids]
    gaps: Callable[[Ids, Ids, Vocabulary], list[Gap]]
    says: tuple[str, ...] = ()
    end: str = SEPARATE


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How a model that has learnt an objective is asked.

    ``reading`` makes an exercise of ids (B, T) with masks, by the settings; ``seq2seq`` says how an encoder-decoder
    answers; ``filling`` makes an exercise of a text (T,) and of what its gaps hold so far; ``end`` ends what is
    written.
    """

    reading: Callable[[Ids, Any, Vocabulary], "Exercise"] | None = None
    seq2seq: Seq2Seq | Callable[[Any], Seq2Seq] | None = None
    filling: Callable[[Ids, Sequence[Ids], Vocabulary], "Exercise"] | None = None
    end: str = END
