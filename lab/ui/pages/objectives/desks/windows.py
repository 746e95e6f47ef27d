"""word2vec's context windows on a text: the training pairs of each token in the middle, with their negative samples.

T tokens   P pairs   K samples   D distances
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.analysis.preview import corrupt
from lab.catalog import MODELS
from lab.entries import ObjectiveEntry
from lab.layers.static import Noise
from lab.noise import Dice
from lab.spelling import spelling
from lab.tokenizer import Tokenizer
from lab.ui.components.windows import Windows
from lab.ui.exercise.shipped import tokenizer
from lab.ui.shell.inputs import head
from lab.ui.words import say, word

LONGEST = 24  # tokens of the text
LISTED = 12  # tokens of the noise distribution that are listed


def suits(objective: ObjectiveEntry) -> bool:
    """Whether an objective asks for a token from a window around it."""
    return "windows" in objective.traits


def view(text: str, objective: ObjectiveEntry, values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The windows that the seed draws, and noise from the counts of the text, as the model takes it from its corpus."""
    its_tokenizer, text = tokenizer(objective), head(text)
    ids = its_tokenizer.encode(text)
    if not len(ids) or not text.strip():
        return {"empty": say("desks.empty")}
    settings = objective.settings.load(values).dump()
    corrupted = corrupt(text, objective, its_tokenizer, settings, seed=seed, longest=LONGEST + 2)
    visible = corrupted.exercise.table()[0]  # (T, T)
    here = corrupted.original
    shares = noise(ids, its_tokenizer)
    samples = MODELS["word2vec"].settings().dump()["negatives"]
    named = {number: spelling(its_tokenizer.pieces([number])[0]) for number in np.unique(ids).tolist()}

    def negatives(targets: NDArray[np.int64], kind: int) -> list[list[str | None]]:
        drawn = sampled(shares, targets, samples, seed, kind).tolist()
        rows = zip(drawn, targets.tolist(), strict=True)
        return [[None if number == target else named[number] for number in row] for row, target in rows]

    middle, _ = visible.nonzero()  # (P,)
    of_pairs, around = negatives(here[middle], 0), [np.flatnonzero(row).tolist() for row in visible]
    cut = [say("desks.cut", n=LONGEST)] if len(ids) > LONGEST else []
    return {
        "tokens": [named[number] for number in here.tolist()],
        "around": around,
        "negatives": {
            "skip-gram": [[of_pairs[p] for p in np.flatnonzero(middle == place)] for place in range(len(here))],
            "cbow": negatives(here, 1),
        },
        "distances": distances(visible, settings["reach"]),
        "noise": listed(ids, shares, named),
        "note": [say("desks.windows.note", k=samples), *cut],
    }


def noise(ids: NDArray[np.int64], its_tokenizer: Tokenizer) -> NDArray[np.float64]:
    """How likely each token is drawn as a negative sample, from its counts in a text: (V,)."""
    vocabulary = its_tokenizer.vocabulary
    drawn = Noise(vocabulary.size)
    drawn.meet(replace(vocabulary, counts=np.bincount(ids, minlength=vocabulary.size)))
    shares: NDArray[np.float64] = drawn.weights.double().numpy()
    return shares / shares.sum()


def sampled(
    shares: NDArray[np.float64], targets: NDArray[np.int64], samples: int, seed: int, kind: int
) -> NDArray[np.int64]:
    """Negative samples for each target, of the visitor's seed: (P, K). ``kind`` keeps two drawings apart."""
    uniforms = Dice(seed, np.arange(len(targets)), kind).random(samples)  # (P, K)
    return shares.cumsum().searchsorted(uniforms, side="right").clip(max=shares.nonzero()[0][-1])


def distances(visible: NDArray[np.bool_], reach: int) -> list[list[float]]:
    """At each distance up to ``reach``: how likely a window reaches so far, how many pairs are expected of the text,
    and how many it yields: (D, 4). A window's size is uniform from 1 to ``reach``, and of a visitor's text no token is
    dropped before."""
    middle, other = visible.nonzero()
    found = np.bincount(abs(middle - other), minlength=reach + 1)
    rows = []
    for distance in range(1, reach + 1):
        chance = (reach + 1 - distance) / reach
        both_sides = 2 * max(len(visible) - distance, 0)
        rows.append([distance, chance, both_sides * chance, int(found[distance])])
    return rows


def listed(ids: NDArray[np.int64], shares: NDArray[np.float64], named: Mapping[int, str]) -> dict[str, Any]:
    """The commonest tokens of a text: how often each occurs, its share, and how likely it is a negative sample."""
    counts = Counter(ids.tolist())
    commonest = counts.most_common(LISTED)
    rows = [[named[number], count, count / len(ids), float(shares[number])] for number, count in commonest]
    return {"rows": rows, "more": len(counts) - len(rows)}


def made() -> Windows:
    """The desk, empty."""
    return Windows(label=word("desks.windows.title"), elem_id="windows")
