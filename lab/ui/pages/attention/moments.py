"""Over training: a head, a gap and the lens at every snapshot of a run.

M steps   T tokens
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from lab.analysis.count import attends
from lab.inference.over_training import OverTraining, moments, over_training
from lab.runs import snapshots
from lab.runs.folder import RunFolder
from lab.serve.limits import limits, within
from lab.serve.ownership import seen
from lab.settings import SettingsError
from lab.ui.components.lens_table import lens_value
from lab.ui.components.over_training import moments_value
from lab.ui.pages.attention.heads import Head, named
from lab.ui.pages.attention.maps import GROUP
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.lru import Kept
from lab.ui.words import complaint, say

CELLS, MOST = 18_000, 48  # of one head's maps at all steps, and tokens in them at most

_models = Kept(2)  # by run and its steps: all of a run's snapshots are no more than a small model
_found = Kept(12)  # by run, its steps, text and head


def watch_forming(run: str, text: str, head: str) -> Values:
    """The head at every step, and the lens."""
    within(text, limits().prompt)
    if not run or not head:
        return nothing(say("attention.no_runs" if not run else "attention.moments.waiting"))
    try:
        folder = seen(run)
        steps = snapshots.steps(folder.path)
        if len(steps) < 2:
            return nothing(unwatched())
        return dict(_found.get((run, *steps, text, head), partial(watched, folder, steps, text, head)))
    except SettingsError as error:
        return nothing(complaint(error))


def nothing(why: Any) -> Values:
    """No steps, and why."""
    return {"moments": {"empty": why}, "lens over training": {"empty": ""}, "moments note": []}


def unwatched() -> dict[str, Any]:
    """What is said of a run along which nothing was kept: which of the lab's own one can choose."""
    for folder in visitor.shipped():
        if len(snapshots.steps(folder.path)) > 1 and attends(folder.run.model):
            return say("attention.moments.none", run=visitor.label(folder.run, folder))
    return say("attention.moments.how")


def watched(folder: RunFolder, steps: Sequence[int], text: str, head: str) -> Values:
    """The values of both components, and the sentence between them."""
    models = _models.get((folder.name, *steps), partial(moments, folder))
    chosen: Head = named(models[-1], head)
    longest = max(8, min(MOST, math.isqrt(CELLS // len(steps))))
    found = over_training(models, text, chosen.kind, chosen.layer, chosen.number, longest)
    special = [place for place, piece in enumerate(found.last.looked) if piece.special]
    value = moments_value(
        found,
        chosen.layer,
        chosen.number,
        special=special,
        causal=chosen.kind == "decoder" or models[-1].given == "causal",
        rows_from=found.read if chosen.kind in ("decoder", "cross") else 0,
        cols_from=found.read if chosen.kind == "decoder" else 0,
        places=found.last.places,
        prefix=found.last.prefix,
        reach=found.last.reach,
        group=GROUP,
    )
    return {"moments": value, **_lens(found)}


def _lens(found: OverTraining) -> Values:
    if isinstance(found.lens, SettingsError):
        why = complaint(found.lens)
        return {"lens over training": {"empty": why}, "moments note": []}
    columns = [f"{step:,}" for step in found.steps]
    token = f"“{found.last.lookers[found.looker]}”"
    return {
        "lens over training": lens_value(found.lens, columns, corner=say("attention.moments.step")),
        "moments note": [["p", say("attention.moments.lens", token=token)]],
    }
