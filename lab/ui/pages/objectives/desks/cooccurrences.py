"""GloVe's co-occurrence matrix of a text: how often its tokens meet, and what each meeting counts.

M tokens of the text   N tokens of the matrix
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.catalog import MODELS
from lab.entries import ObjectiveEntry
from lab.spelling import spelling
from lab.ui.components.cooccurrences import Cooccurrences
from lab.ui.exercise.shipped import tokenizer
from lab.ui.shell.inputs import head
from lab.ui.words import say, word
from lab.vocabulary import Vocabulary

LONGEST = 100  # tokens of the text
MOST = 16  # rows of the matrix
DIGITS = 6  # behind the point, more than are ever shown


def suits(objective: ObjectiveEntry) -> bool:
    """Whether an objective counts how often tokens meet."""
    return "cooccurrences" in objective.traits


def view(text: str, objective: ObjectiveEntry, values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The matrix of the text's tokens, or of those that occur most often in it. Nothing is drawn: the seed is none of
    its business."""
    its_tokenizer, text = tokenizer(objective), head(text)
    ids = its_tokenizer.encode(text)
    if not len(ids) or not text.strip():
        return {"empty": say("desks.empty")}
    here, settings = ids[:LONGEST], objective.settings.load(values)
    rows, every = shown(here), len(np.unique(here))
    times, sums = counted(here, rows, objective, settings, its_tokenizer.vocabulary)
    glove = MODELS["glove"].settings().dump()
    few = [say("desks.cooccurrences.few", n=len(rows), all=every)] if len(rows) < every else []
    cut = [say("desks.cut", n=LONGEST)] if len(ids) > LONGEST else []
    return {
        "tokens": [spelling(its_tokenizer.pieces([number])[0]) for number in rows],
        "times": times,
        "met": met(here, rows, settings.dump()["reach"]),
        "sums": sums,
        "most": glove["most"],
        "power": glove["power"],
        "note": [say("desks.cooccurrences.note"), *few, *cut],
    }


def shown(ids: NDArray[np.int64]) -> list[int]:
    """The tokens that have a row: the commonest, in the order in which they first occur. (N,)"""
    numbers, first, counts = np.unique(ids, return_index=True, return_counts=True)
    commonest = np.lexsort((first, -counts))[:MOST]
    return [int(numbers[each]) for each in sorted(commonest, key=lambda each: first[each])]


def counted(
    ids: NDArray[np.int64], rows: Sequence[int], objective: ObjectiveEntry, settings: Any, vocabulary: Vocabulary
) -> tuple[list[list[float]], list[float]]:
    """How often each two tokens of ``rows`` meet in the text (M,), as the objective itself counts, (N, N), and how
    often each meets any token, (N,)."""
    assert objective.packing.cooccurrences is not None
    found, size = objective.packing.cooccurrences(ids, settings, vocabulary), vocabulary.size
    times = dict(zip(found.keys.tolist(), found.times.round(DIGITS).tolist(), strict=True))
    sums = np.bincount(found.keys // size, found.times, size)[rows].round(DIGITS)
    return [[times.get(i * size + j, 0.0) for j in rows] for i in rows], sums.tolist()


def met(ids: NDArray[np.int64], rows: Sequence[int], reach: int) -> dict[str, list[int]]:
    """How often the tokens of any two rows stand at a distance of 1, 2, ... ``reach``, by "i,j" where i <= j. A token
    that meets itself does so from either side."""
    found: dict[str, list[int]] = {}
    row = {number: at for at, number in enumerate(rows)}
    for distance in range(1, min(reach, len(ids) - 1) + 1):
        for one, two in zip(ids[:-distance].tolist(), ids[distance:].tolist(), strict=True):
            if one in row and two in row:
                i, j = sorted((row[one], row[two]))
                found.setdefault(f"{i},{j}", [0] * reach)[distance - 1] += 2 if i == j else 1
    return found


def made() -> Cooccurrences:
    """The desk, empty."""
    return Cooccurrences(label=word("desks.cooccurrences.title"), elem_id="cooccurrences")
