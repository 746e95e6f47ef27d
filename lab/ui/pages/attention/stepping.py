"""Step through one head: what the page shows of every matrix between a layer's hidden states and the next.

T tokens   W width
"""

from typing import Any

import numpy as np

from lab.inference.head_steps import head_steps
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import Trained
from lab.inference.shown import shown
from lab.inference.visibility import MASKS, OWN, under
from lab.ui.components.head_steps import steps_value
from lab.ui.pages.attention.asking import of_text
from lab.ui.pages.attention.heads import named
from lab.ui.pages.attention.maps import GROUP
from lab.ui.shell.answers import Values
from lab.ui.words import say

NUMBERS = 60_000  # in the matrices that are as wide as the model, all together: what is sent at once
WIDE = 7  # such matrices, at most
LEAST, MOST = 8, 24  # tokens


def walk(run: str, text: str, head: str, mask: str = OWN) -> Values:
    """The steps of a head under an attention mask, or why there are none."""

    def work(trained: Trained) -> Values:
        return {"walk": stepped(trained, text, head, mask) if head else {"empty": say("attention.waiting")}}

    return of_text(run, text, lambda why: {"walk": {"empty": why}}, work)


def stepped(trained: Trained, text: str, head: str, mask: str) -> dict[str, Any]:
    """The component's value: as many tokens as their numbers can be sent at once."""
    kind, layer, number = named(trained, head)
    width: int = trained.run.settings_of("model").width
    most = min(MOST, max(LEAST, NUMBERS // (WIDE * width)))
    seen = shown(trained, text, most)
    mask = mask if mask in MASKS else OWN
    asked = under(trained, seen, mask)
    walk = head_steps(trained, asked, kind, layer, number)
    whole, own = len(framed(trained, with_special_tokens(trained, text))), kind in ("", "encoder")
    ids = asked.read if own else asked.written
    return steps_value(
        walk,
        number,
        first(trained, ids),
        [f"P{place + 1}" for place in range(walk.prefix)],
        group=GROUP,
        rows_from=0 if own else len(asked.read),
        title=say("heads.title", layer=layer + 1, head=number + 1),
        mask="" if mask == OWN else mask,
        note=say("heads.cut", n=len(seen.text), all=whole) if whole > len(seen.text) else None,
    )


def first(trained: Trained, ids: np.ndarray) -> int:
    """The token that is meant at first: a gap, else the last that is no special token."""
    vocabulary = trained.tokenizer.vocabulary
    gaps, ordinary = np.flatnonzero(ids == vocabulary.gap), np.flatnonzero(~vocabulary.is_special(ids))
    return int(gaps[0] if len(gaps) else ordinary[-1] if len(ordinary) else len(ids) - 1)
