"""The input as a sum: the vectors that are added up for each token, and how alike positions are."""

from functools import partial
from typing import Any

import numpy as np

from lab.analysis.sum_plane import sum_plane
from lab.inference.input_sum import InputSum, input_sum, positions_alike
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import Trained
from lab.inference.shown import shown
from lab.spelling import spellings
from lab.ui.components.similarity import square
from lab.ui.pages.attention.asking import of_text
from lab.ui.pages.attention.heads import stack
from lab.ui.pages.attention.maps import GROUP
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent
from lab.ui.shell.lru import Kept
from lab.ui.words import say

MOST, POSITIONS = 64, 64  # tokens, and positions that are compared, at most
DIGITS = 4

_found = Kept(16)  # by model, text and stack


def added_up(run: str, text: str, kind: str) -> Values:
    """The arrows, the square of the positions, and what is to be said of both."""

    def work(trained: Trained) -> Values:
        of = stack(trained, kind)
        return dict(_found.get((run, trained.step, text, of), partial(summed, trained, text, of)))

    return of_text(run, text, nothing, work)


def nothing(why: dict[str, Any]) -> Values:
    """No picture, and why."""
    return {"sum": {"empty": why}, "sum note": [], "positions": {"empty": why}, "positions note": []}


def summed(trained: Trained, text: str, kind: str) -> Values:
    """What stands in the fold."""
    asked = shown(trained, text, MOST)
    found = input_sum(trained, asked, kind)
    behind = 0 if kind in ("", "encoder") else len(asked.read)
    alike = positions_alike(trained, kind, POSITIONS)
    why = say(f"attention.positions.{found.way}")
    names = [] if alike is None else [str(place + 1) for place in range(len(alike))]
    whole = len(framed(trained, with_special_tokens(trained, text)))
    cut = [["note", say("attention.first", n=MOST, all=whole)]] if whole > MOST else []
    return {
        **_arrows(trained, found, behind, cut),
        "positions": {"empty": say("attention.positions.empty")}
        if alike is None
        else {"names": names, "squares": [square(say(f"attention.positions.square.{found.way}"), alike.numpy())]},
        "positions note": [["p", why]],
    }


def _arrows(trained: Trained, found: InputSum, behind: int, cut: list[Any]) -> Values:
    if len(found.parts) == 1:
        why = say("attention.sum.alone")
        return {"sum": {"empty": why}, "sum note": cut}
    vectors = {name: part.double().numpy() for name, part in found.parts.items()}
    points, shares = sum_plane(vectors)
    gaps = np.flatnonzero(found.ids == trained.tokenizer.vocabulary.gap)
    value = {
        "tokens": spellings(trained.tokenizer.pieces(found.ids)),
        "parts": [
            {
                "name": say(f"attention.sum.{name}"),
                "points": points[name].round(DIGITS).tolist(),
                "lengths": np.linalg.norm(part, axis=1).round(DIGITS).tolist(),
            }
            for name, part in vectors.items()
        ],
        "shares": [round(share, DIGITS) for share in shares],
        "meant": int(gaps[0]) if len(gaps) else min(1, len(found.ids) - 1),
        "places": [behind + at for at in range(len(found.ids))],
        "group": GROUP,
    }
    return {"sum": value, "sum note": [["note", say("attention.sum.plane", share=percent(sum(shares)))], *cut]}
