"""The permutation desk: the tokens of a sentence, to be put into the order in which they are read and asked.

T tokens
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.analysis.preview import corrupt
from lab.data.template import framed
from lab.entries import ObjectiveEntry
from lab.objectives.permutation import ordered
from lab.spelling import spellings
from lab.ui.components.permutation_desk import PermutationDesk
from lab.ui.exercise.shipped import tokenizer
from lab.ui.shell.inputs import head
from lab.ui.words import say, word
from lab.vocabulary import Vocabulary

LONGEST = 14  # tokens of the text


def suits(objective: ObjectiveEntry) -> bool:
    """Whether an objective asks in an order."""
    return objective.name == "permutation"


def view(text: str, objective: ObjectiveEntry, values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The tokens in the order that the objective itself draws: those that all may see, then turn by turn."""
    known, text = tokenizer(objective), head(text)
    ids = known.encode(text)
    if not len(ids) or not text.strip():
        return {"empty": say("desks.empty")}
    whole = objective.settings.load(values).dump() | {
        "halves": False
    }  # one order, in which every token can be put anywhere
    found = corrupt(text, objective, known, whole, seed=seed, longest=LONGEST + 2)
    assert found.exercise.order is not None
    cut = [say("desks.cut", n=LONGEST)] if len(ids) > LONGEST else []
    return {
        "tokens": spellings(known.pieces(found.original)),
        "fixed": known.vocabulary.is_special(found.original).tolist(),
        "order": found.exercise.order[0].argsort(kind="stable").tolist(),
        "last": int(found.exercise.asked.sum()),
        "note": [say("desks.permutation.note"), *cut],
    }


def streams(text: str, objective: ObjectiveEntry, order: Sequence[int], last: int) -> list[np.ndarray]:
    """Who sees whom where the text is read in ``order`` (T,) and the ``last`` tokens of it are asked: by the stream
    that knows its own token, and by the one that answers. (T, T) each, rows of what is not asked empty in the second.
    This is the objective's own table; the browser draws the same without asking."""
    known = tokenizer(objective)
    ids = framed(known.encode(text)[:LONGEST], objective.frame, known.vocabulary)[None]
    asked = questioned(ids[0], order, last, known.vocabulary)[None]
    functional = known.vocabulary.is_special(ids)
    turns = np.argsort(order)[None]
    content = ordered(ids, asked, asked | functional, turns, known.vocabulary).table()[0]
    return [content, content & ~np.eye(len(content), dtype=bool) & asked[0][:, None]]


def questioned(ids: np.ndarray, order: Sequence[int], last: int, vocabulary: Vocabulary) -> np.ndarray:
    """Which tokens are asked: the ``last`` ordinary ones of the order. (T,)"""
    ordinary = [place for place in order if not vocabulary.is_special(ids)[place]]
    return np.isin(np.arange(len(ids)), ordinary[len(ordinary) - last :])


def made() -> PermutationDesk:
    """The desk, empty: all that is moved there is drawn in the browser."""
    return PermutationDesk(label=word("desks.permutation.title"), elem_id="permutation-desk")
