"""The desks of the Objectives page: of all that can be tried by hand, what suits the chosen objective.

Each says which objectives it ``suits`` and what it shows (``view``).
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from lab.catalog import OBJECTIVES
from lab.ui.pages.objectives.desks import (
    assembly,
    cloze_game,
    cooccurrences,
    mask_calendar,
    permutation_desk,
    shortcut,
    windows,
)
from lab.ui.shell.answers import Values
from lab.ui.shell.inputs import whole_seed

# they show the page's own exercise
FOLLOWING: tuple[ModuleType, ...] = (assembly, permutation_desk, mask_calendar, windows, cooccurrences)
STANDING: tuple[ModuleType, ...] = (shortcut, cloze_game)  # they have texts of their own, and go on under another one


def called(desk: ModuleType) -> str:
    """A desk's name, which is its file's."""
    return desk.__name__.rpartition(".")[2]


def followed(text: str, name: str, seed: float, values: Mapping[str, Any]) -> Values:
    """What each desk that follows makes of the page's text, seed and settings; None where it does not suit."""
    of, dice = OBJECTIVES[str(name)], whole_seed(seed)
    return {called(desk): desk.view(text, of, values, dice) if desk.suits(of) else None for desk in FOLLOWING}


def stood(name: str, language: str) -> Values:
    """What each of the others begins with under an objective; None where it does not suit."""
    of = OBJECTIVES[str(name)]
    return {called(desk): desk.view("", of, language) if desk.suits(of) else None for desk in STANDING}
