"""Similarity of hidden states from layer to layer, of one's own text.

L layers   T tokens
"""

import math
from functools import partial
from typing import Any

from lab.analysis.layer_similarity import alignment, between_tokens, cosines
from lab.inference.hidden_states import hidden_states
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import Trained
from lab.inference.shown import shown
from lab.spelling import spellings
from lab.ui.components.similarity import signed, square
from lab.ui.pages.attention.asking import of_text
from lab.ui.pages.attention.heads import stack
from lab.ui.pages.attention.maps import GROUP
from lab.ui.shell.answers import Values
from lab.ui.shell.lru import Kept
from lab.ui.words import say

NUMBERS, MOST = 18_000, 64  # in the squares of single tokens, and so many tokens at most

_found = Kept(16)  # by model, text and stack


def similar_layers(run: str, text: str, kind: str) -> Values:
    """The squares, and what is to be said of them."""

    def work(trained: Trained) -> Values:
        of = stack(trained, kind)
        value, said = _found.get((run, trained.step, text, of), partial(compared, trained, text, of))
        return {"similar": value, "similar note": said}

    return of_text(run, text, nothing, work)


def nothing(why: dict[str, Any]) -> Values:
    """No squares, and why."""
    return {"similar": {"empty": why}, "similar note": []}


def most_tokens(trained: Trained) -> int:
    """How many tokens' squares are sent."""
    layers = trained.run.settings_of("model").depth + 1
    return max(8, min(MOST, NUMBERS // layers**2))


def compared(trained: Trained, text: str, kind: str) -> tuple[dict[str, Any], list[Any]]:
    """The component's value, and sentences."""
    most = most_tokens(trained)
    asked = shown(trained, text, most)
    hidden, ids = hidden_states(trained, asked, kind)  # (L + 1, T, W)
    each, apart = cosines(hidden).numpy(), between_tokens(hidden).numpy()
    behind = 0 if kind in ("", "encoder") else len(asked.read)
    single = len(ids) == 1
    below = () if single else (say("attention.similar.apart"), apart)
    squares = [square(say("attention.similar.mean"), each.mean(0), below)]
    if not single:
        squares.append(square(say("attention.similar.alignment"), alignment(hidden).numpy()))
    value = {
        "names": [
            say("components.lens.embedding"),
            *(say("components.lens.layer", n=n + 1) for n in range(len(hidden) - 1)),
        ],
        "squares": squares,
        "each": {
            "places": [behind + at for at in range(len(ids))],
            "tokens": spellings(trained.tokenizer.pieces(ids)),
            "data": signed(each),
        },
        "group": GROUP,
        "view": "similar",
    }
    said = [["p", say(f"attention.similar.{kind or 'single'}")]]
    if not single and not math.isnan(apart[-1]):
        said.append(["note", say("attention.similar.cone", first=f"{apart[0]:.2f}", last=f"{apart[-1]:.2f}")])
    whole = len(framed(trained, with_special_tokens(trained, text)))
    if whole > most:
        said.append(["note", say("attention.first", n=most, all=whole)])
    return value, said
