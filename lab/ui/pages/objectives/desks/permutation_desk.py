"""Factorisation order by hand: the tokens of a sentence put into the order in which they are read and asked.

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
    its_tokenizer, text = tokenizer(objective), head(text)
    ids = its_tokenizer.encode(text)
    if not len(ids) or not text.strip():
        return {"empty": say("desks.empty")}
    whole = objective.settings.load(values).dump() | {
        "halves": False
    }  # one order, in which every token can be put anywhere
    corrupted = corrupt(text, objective, its_tokenizer, whole, seed=seed, longest=LONGEST + 2)
    assert corrupted.exercise.order is not None
    cut = [say("desks.cut", n=LONGEST)] if len(ids) > LONGEST else []
    return {
        "tokens": spellings(its_tokenizer.pieces(corrupted.original)),
        "fixed": its_tokenizer.vocabulary.is_special(corrupted.original).tolist(),
        "order": corrupted.exercise.order[0].argsort(kind="stable").tolist(),
        "last": int(corrupted.exercise.asked.sum()),
        "note": [say("desks.permutation.note"), *cut],
    }


def streams(text: str, objective: ObjectiveEntry, order: Sequence[int], last: int) -> list[np.ndarray]:
    """Who sees whom where the text is read in ``order`` (T,) and the ``last`` tokens of it are asked: by the stream
    that knows its own token, and by the one that answers. (T, T) each, rows of what is not asked empty in the second.
    This is the objective's own table; the browser draws the same without asking."""
    its_tokenizer = tokenizer(objective)
    ids = framed(its_tokenizer.encode(text)[:LONGEST], objective.frame, its_tokenizer.vocabulary)[None]
    asked = questioned(ids[0], order, last, its_tokenizer.vocabulary)[None]
    functional = its_tokenizer.vocabulary.is_special(ids)
    turns = np.argsort(order)[None]
    content = ordered(ids, asked, asked | functional, turns, its_tokenizer.vocabulary).table()[0]
    return [content, content & ~np.eye(len(content), dtype=bool) & asked[0][:, None]]


def questioned(ids: np.ndarray, order: Sequence[int], last: int, vocabulary: Vocabulary) -> np.ndarray:
    """Which tokens are asked: the ``last`` ordinary ones of the order. (T,)"""
    ordinary = [place for place in order if not vocabulary.is_special(ids)[place]]
    return np.isin(np.arange(len(ids)), ordinary[len(ordinary) - last :])


def made() -> PermutationDesk:
    """The desk, empty: all that is moved there is drawn in the browser."""
    return PermutationDesk(label=word("desks.permutation.title"), elem_id="permutation-desk")
