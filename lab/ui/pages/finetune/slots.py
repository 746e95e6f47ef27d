"""Small multiples: the same component once for each arm of a comparison, as many as there may be."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from lab.ui.runs.fine_tuning import MOST
from lab.ui.shell.answers import Values
from lab.ui.words import in_language, language_now

USUAL = 2  # arms that most comparisons have: room is kept for these


def laid_out(part: str, make: Callable[[bool], Any]) -> dict[str, Any]:
    """The components; ``make`` is told whether one is in sight from the start."""
    with gr.Row(elem_classes=["lab-arms"]):
        return {f"{part} {number}": make(number < USUAL) for number in range(MOST)}


def filled(part: str, names: Sequence[Any], values: Sequence[Any]) -> Values:
    """The arms' values, each under its arm's name; what belongs to no arm is out of sight."""
    answers: Values = {f"{part} {number}": gr.update(visible=False) for number in range(len(values), MOST)}
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        label = in_language(name, language_now())
        answers[f"{part} {number}"] = gr.update(value=value, label=label, visible=True)
    return answers


def all_of(part: str) -> list[str]:
    """The names of the components."""
    return [f"{part} {number}" for number in range(MOST)]
