"""The logit lens of one's own text, and what is to be said about it."""

from functools import partial
from typing import Any

from lab.inference.early_exit import QUERY
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.logit_lens import Lens, lens
from lab.inference.model import Trained
from lab.inference.shown import shown
from lab.ui.components.lens_table import lens_value
from lab.ui.pages.attention.asking import of_text
from lab.ui.pages.attention.maps import GROUP
from lab.ui.shell.answers import Values
from lab.ui.shell.lru import Kept
from lab.ui.words import say

CELLS, MOST = 1600, 64  # of the table, and tokens in it at most

_lenses = Kept(16)  # by model and text


def through_the_lens(run: str, text: str) -> Values:
    """The table of what each layer would say, or why there is none; and what its columns and rows are."""

    def work(trained: Trained) -> Values:
        seen, value = _lenses.get((run, trained.step, text), partial(read, trained, text))
        return {"lens": value, "lens note": sentences(trained, text, seen)}

    return of_text(run, text, nothing, work)


def nothing(why: dict[str, Any]) -> Values:
    """No table, and why."""
    return {"lens": {"empty": why}, "lens note": []}


def most_tokens(trained: Trained) -> int:
    """How many tokens the table has room for."""
    shape = trained.run.settings_of("model")
    return max(8, min(MOST, CELLS // (shape.depth + 1)))


def read(trained: Trained, text: str) -> tuple[Lens, dict[str, Any]]:
    """The lens, and the component's value."""
    asked = shown(trained, text, most_tokens(trained))
    seen = lens(trained, asked)
    if seen.what == "class":
        return seen, lens_value(seen, [say("attention.lens.text")])
    behind = len(asked.read) if trained.seq2seq is not None else 0  # what is written stands behind what is read
    return seen, lens_value(seen, places=(seen.places + behind).tolist(), group=GROUP)


def sentences(trained: Trained, text: str, seen: Lens) -> list[Any]:
    """What a column asks, what the head reads of a layer, and how much of the text is shown."""
    whole, most = len(framed(trained, with_special_tokens(trained, text))), most_tokens(trained)
    columns = "answers" if trained.seq2seq is not None and seen.what == "next" else seen.what
    columns = "gap" if seen.norm == QUERY else columns  # which sees no token, so that it repeats none
    said = [["p", say(f"attention.lens.{columns}")], ["note", say(f"attention.lens.{seen.norm}")]]
    if whole > most:
        said.append(["note", say("attention.first", n=most, all=whole)])
    return said
