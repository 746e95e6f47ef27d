"""Other runs beside the one on show: the dropdown of a fold that compares them, and what is made of each."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import gradio as gr

from lab.inference.model import Trained
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped
from lab.ui.shell.frame import Frame
from lab.ui.shell.visitor import choices, label, readable, trained, usable
from lab.ui.words import complaint, say, word

MOST = 3  # runs beside the one on show

Made = TypeVar("Made")
Suits = Callable[[Run], bool]


def dropdown(suits: Suits, first: Sequence[str]) -> gr.Dropdown:
    """The runs that ``suit``, of which the ``first`` are chosen."""
    return gr.Dropdown(
        choices("", suits),
        value=[*first],
        multiselect=True,
        max_choices=MOST,
        label=word("pretrain.beside"),
        min_width=240,
    )


def keep_offered(frame: Frame, fold: Any, beside: gr.Dropdown, suits: Suits) -> None:
    """Let the dropdown offer the runs of the moment."""

    def now(visitor: str, chosen: Sequence[str]) -> Values:
        return offered(visitor, chosen, suits)

    for event in (fold.expand, beside.focus):
        frame.listen(event, now, [frame.visitor, beside], {"beside": beside})


def offered(visitor: str, chosen: Sequence[str], suits: Suits) -> Values:
    """The runs that may stand beside the one on show, of this moment."""
    runs = choices(visitor, suits)
    names = [name for _, name in runs]
    return {"beside": gr.update(choices=runs, value=[name for name in chosen or () if name in names][:MOST])}


def of_each(
    visitor: str, run: str, step: str, beside: Iterable[Any], make: Callable[[str, Trained], Made]
) -> tuple[list[tuple[Any, Made]], list[list[Any]]]:
    """What is made of the ``run`` on show, at the ``step`` that is scrubbed to, and of those beside it, each with its
    title; and a line of prose about each of which it cannot be made. ``make`` is given the run's name, too."""
    made, said = list[tuple[Any, Made]](), list[list[Any]]()
    others = [name for name in dict.fromkeys(beside or ()) if isinstance(name, str) and name != run][:MOST]
    for name in ([f"{run}@{step}" if step else run] if run else []) + others:
        folder = readable(name.partition("@")[0], visitor)
        title = label(folder.run, folder)
        try:
            if not usable(folder):
                raise SettingsError("no checkpoint yet, try again in a few seconds", "还没有检查点，请过几秒再试")
            model = trained(name)
            made.append((say("pretrain.beside.at", title=title, n=grouped(model.step)), make(name, model)))
        except SettingsError as error:
            said.append(["note", say("pretrain.beside.not", title=title, why=complaint(error))])
    return made, said
