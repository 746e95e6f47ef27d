"""The mismatch of pretraining and fine-tuning: what a model makes of [MASK] before it is fine-tuned, and after.

[MASK] stands in what a model is pretrained on, and never in what it is fine-tuned on (Devlin et al. 2018, section 3.1).
Nothing in the labels keeps the weights fit to fill gaps, least of all where all of them move.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lab.inference.mask_shift import mask_shift
from lab.inference.model import Trained
from lab.inference.predict import fill
from lab.runs.folder import RunFolder
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.pages.finetune.arms import COLOURS, called, parent_title
from lab.ui.runs.fine_tuning import MOST, names_in
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import likely
from lab.ui.shell.visitor import askable, readable, trained, usable
from lab.ui.words import say

SENTENCES = {"en": "Rose lived near the [MASK].", "zh": "露丝住在[MASK]附近。"}
BEST = 4  # guesses for each gap
GAPS = 4  # that are shown
NO_GUESSES: dict[str, Any] = {"columns": [], "rows": [], "empty": say("finetune.mismatch.none")}
NO_SHIFTS: dict[str, Any] = {"series": [], "empty": say("finetune.mismatch.none.moved"), "dials": False, "low": 0}
NO_SHIFTS |= {"x": say("finetune.mismatch.layer"), "y": say("finetune.mismatch.moved"), "legend": True, "height": 280}
BEFORE = "original"  # the colour of those that were not fine-tuned


def guesses(visitor: str, names: str, sentence: str) -> Values:
    """The likeliest tokens in each gap of a sentence, before and after, as the value of a Table."""
    within(sentence, limits().prompt)
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    rows = [[title, *_filled(trained(folder.name), sentence)] for title, folder in _asked(visitor, folders)]
    gaps = max((len(row) - 1 for row in rows), default=0)
    if not gaps:
        return {"guesses": NO_GUESSES}
    columns = [say("finetune.ways.arm"), *(say("finetune.mismatch.gap", n=number + 1) for number in range(gaps))]
    return {"guesses": {"columns": columns, "rows": [row + ["–"] * (1 + gaps - len(row)) for row in rows]}}


def shifts(visitor: str, names: str, text: str) -> Values:
    """How far a text's hidden states move, layer by layer, when one of its words becomes [MASK], before and after: the
    value of a Curve."""
    within(text, limits().prompt)
    folders, colours = [readable(name, visitor) for name in names_in(names)[:MOST]], iter(COLOURS)
    arms = {folder.name for folder in folders}
    series = []
    for title, folder in _asked(visitor, folders):
        after = folder.name in arms
        if moved := _moved(trained(folder.name), text):
            line = {"name": title, "colour": next(colours) if after else BEFORE, "dash": "" if after else "7 4"}
            series.append({**line, "x": [*range(len(moved))], "y": moved, "dots": True})
    return {"shifts": NO_SHIFTS | {"series": series}}


def _moved(model: Trained, text: str) -> list[float]:
    """Nothing where the model is shown no [MASK], or the text has no word."""
    try:
        return mask_shift(model, text)
    except SettingsError:
        return []


def _asked(visitor: str, folders: Sequence[RunFolder]) -> Iterator[tuple[Any, RunFolder]]:
    """The pretrained runs from which the arms started, and then the arms, as far as they have saved weights."""
    parents = {Path(folder.run.parent or "").name: folder.run for folder in folders}
    for folder in askable(visitor):
        if folder.name in parents:
            title = parent_title(visitor, parents[folder.name])
            yield say("finetune.mismatch.before", title=title), folder
    for title, folder in zip(called(visitor, folders), folders, strict=True):
        if usable(folder):
            yield say("finetune.mismatch.after", title=title), folder


def _filled(model: Trained, sentence: str) -> list[str]:
    """The best guesses for each gap, in a line; none where the model fills no gaps or the sentence has none."""
    try:
        gaps = fill(model, sentence, BEST, longest=1)[:GAPS]
    except SettingsError:
        return []
    return [" · ".join(f"{guess.token.strip() or '␣'} {likely(guess.probability)}" for guess in gap) for gap in gaps]
