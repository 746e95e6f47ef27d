"""The desks of the Objectives page: of all that can be tried by hand, what suits the chosen objective."""

from types import ModuleType
from typing import Any

import gradio as gr

from lab.catalog import OBJECTIVES
from lab.ui.desks import assembly, cloze_game, mask_calendar, permutation_desk, shortcut
from lab.ui.frame import Frame
from lab.ui.panel import any_of

# Each says which objectives it ``suits``, what it shows first (``view``), and whether that ``FOLLOWS`` the text.
DESKS: tuple[ModuleType, ...] = (assembly, permutation_desk, shortcut, mask_calendar, cloze_game)


def laid(text: str, name: str, language: str) -> list[Any]:
    """What each desk shows under an objective; nothing where it does not suit."""
    objective = OBJECTIVES[str(name)]
    return [desk.view(text, objective, language) if desk.suits(objective) else None for desk in DESKS]


def retyped(text: str, name: str, language: str) -> list[Any]:
    """The same under another text: a desk that has texts of its own goes on."""
    objective = OBJECTIVES[str(name)]
    kept = [not desk.FOLLOWS or not desk.suits(objective) for desk in DESKS]
    return [gr.skip() if keep else desk.view(text, objective, language) for keep, desk in zip(kept, DESKS, strict=True)]


def place(frame: Frame, text: Any, name: Any) -> None:
    """All desks, empty: one that suits is filled when the page is opened or the objective is chosen."""
    with gr.Column(elem_id="desks"):
        made = [desk.build(frame, text) for desk in DESKS]
    asked = [text, name, frame.language]
    frame.listen(any_of([name.change]), laid, asked, made)
    frame.listen(any_of([text.change]), retyped, asked, made)
    frame.opens(laid, asked, made)
