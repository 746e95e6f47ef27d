"""The model that answers on Start: one of the lab's, or the one that a visitor has chosen."""

from typing import Any

from lab.catalog import MODELS
from lab.entries import ObjectiveEntry
from lab.inference.model import Trained
from lab.runs.run import IMPORTED
from lab.ui.exercise.shipped import FILLS, learnt
from lab.ui.shell.visitor import trained

LONGEST = 64  # tokens in an exercise, special ones included
SPANS = "span_corruption"  # answered token by token, and so by itself
AT_ONCE = ("mlm", "clm", "nsp", "sop")
ANSWERED = (*AT_ONCE, SPANS)  # the objectives that models which come with the lab have learnt


def answering(model: str) -> Trained | None:
    """The model that a visitor has chosen to answer; None where it is the first of the lab's, beside which each of the
    others answers what it has learnt."""
    if model in ("", FILLS):
        return None
    return trained(model)


def longest(answerer: Trained | None) -> int:
    """Tokens in an exercise, special ones included: as many as the chosen model can read."""
    return min(LONGEST, answerer.context) if answerer else LONGEST


def as_learnt(objective: ObjectiveEntry, answerer: Trained | None) -> Any:
    """The settings of an exercise: as in the paper; but who has learnt to write short spans is not asked for long
    ones."""
    model = learnt(objective, answerer) if objective.name == SPANS else None
    return model.run.settings_of("objective") if model else objective.settings()


def title_of(model: Trained) -> str:
    """What a model is called: its own title, where others published it."""
    return model.run.title if model.run.kind == IMPORTED else MODELS[model.run.model].title
