"""Edits and what they change: the answer before and after, and how much each attention weight moved.

T tokens that look   S tokens looked at   L layers   H heads
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lab.inference.asked import Asked, ask
from lab.inference.attention_maps import QUERY, Maps, maps_of
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import Trained
from lab.inference.shown import Shown, showing
from lab.settings import SettingsError

Ids = NDArray[np.int64]
Altered = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a model makes of a text."""

    answer: Asked | None  # None where it is asked nothing that has one answer
    maps: list[Maps]  # of every kind

    def moved(self, after: "Reading") -> list[Tensor]:
        """How far each weight has moved, of every kind: (L, H, T, S)."""
        return [two.maps - one.maps for one, two in zip(self.maps, after.maps, strict=True)]


def reading_of(trained: Trained, asked: Shown, place: int | None = None) -> Reading:
    """The answer, at ``place`` where one is given, and the maps; those of a query stream are left out, for an edit may
    change how many gaps there are."""
    maps = [layer for layer in maps_of(trained, asked) if layer.kind != QUERY]
    return Reading(answer=answered(trained, asked.text, place), maps=maps)


def altered(
    trained: Trained, asked: Shown, how: Altered = nullcontext, ids: Ids | None = None, place: int | None = None
) -> Reading:
    """The same where the model is altered while it reads, or reads other framed ``ids`` (S,). A decoder reads the same
    answer as before. Raises SettingsError where the ids are more, or fewer."""
    ids = asked.text if ids is None else ids
    other = showing(trained, ids, asked.answer) if len(ids) == len(asked.text) else None
    if other is None or len(other.read) != len(asked.read):
        raise SettingsError(
            f"the other text has {len(ids)} tokens and this one {len(asked.text)}: maps of one length alone can be "
            "compared",
            f"另一段文本有 {len(ids)} 个词元，这一段有 {len(asked.text)} 个：只有长度相同才能比较注意力图",
        )
    with how():
        return reading_of(trained, other, place)


def answered(trained: Trained, ids: Ids, place: int | None = None) -> Asked | None:
    """The answer, where there is one."""
    try:
        return ask(trained, ids, place)
    except SettingsError:
        return None


def masked(trained: Trained, ids: Ids, place: int) -> Ids:
    """The ids with [MASK] at one place. A model whose gaps are numbered gets the first number that is free behind the
    first gap's, so that it is still asked for that one."""
    vocabulary = trained.tokenizer.vocabulary
    numbered = [vocabulary.role(mark) for mark in (trained.seq2seq.says[1:] if trained.seq2seq is not None else ())]
    other = ids.copy()
    other[place] = next((mark for mark in numbered if mark not in ids), vocabulary.mask)
    return other


def followed(ids: Ids, other: Ids, answer: Asked | None) -> int | None:
    """Where in the ``other`` ids (S,) the same is asked: a gap that was swapped has gone where it was not before."""
    place = None if answer is None else answer.place
    if answer is None or place is None or answer.what != "gap" or other[place] == ids[place]:
        return place
    moved = np.flatnonzero((other == ids[place]) & (ids != other))
    return int(moved[0]) if len(moved) else place


def swapped(ids: Ids, one: int, two: int) -> Ids:
    """The ids, two of them in each other's place."""
    other = ids.copy()
    other[[one, two]] = ids[[two, one]]
    return other


def rewritten(trained: Trained, text: str, longest: int | None = None) -> Ids:
    """The framed ids of another text."""
    return framed(trained, with_special_tokens(trained, text), longest)
