"""Starting points: the pretrained run, and what is fine-tuned beside it, random weights or other runs."""

from typing import Any

import gradio as gr

from lab.catalog import TASKS
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.runs.fine_tuning import BETWEEN, MOST, RANDOM, names_in, suits, tunable, untunable
from lab.ui.runs.picker import RunPicker
from lab.ui.shell.answers import Values
from lab.ui.shell.frame import Frame
from lab.ui.shell.visitor import askable, choices
from lab.ui.words import complaint, in_language, language_now, say, word

NOTHING = "none"  # beside the first run
JOIN = f"(names) => (names || []).join('{BETWEEN}') || '{NOTHING}'"


class Starts:
    """``run`` is the first starting point's id, ``beside`` the names of the others with * between them."""

    def __init__(self, frame: Frame, task: Any) -> None:
        """``task`` is the component that says what for."""
        picker = RunPicker(
            frame, "finetune.run", tunable, "bert", untunable, strangers=False, snapshots=False, wanted=task
        )
        self.run = picker.run
        self.beside = frame.share("beside", Memo(RANDOM, pattern=r"[\w.*-]{0,900}"))
        self.dropdown = gr.Dropdown(
            [(word("finetune.beside.random"), RANDOM)],
            value=[RANDOM],
            multiselect=True,
            max_choices=MOST - 1,
            label=word("finetune.beside"),
            info=word("finetune.beside.note"),
        )
        unfit = Prose([])
        asked = [frame.visitor, self.run, self.beside, task]
        answered = {"beside": self.dropdown, "unfit": unfit}
        frame.opens(read_again, asked, answered)
        for event in (self.run.change, self.beside.change, self.dropdown.focus, task.change):
            frame.listen(event, read_again, asked, answered)
        self.dropdown.input(None, [self.dropdown], [self.beside], js=JOIN, api_visibility="private")


def read_again(visitor: str, run: str, beside: str, task: str) -> Values:
    """What may stand beside the first run at this moment, what does, and which runs cannot take the task."""
    others = [(title, name) for title, name in choices(visitor, lambda each: tunable(each, task)) if name != run]
    offered = [(in_language(say("finetune.beside.random"), language_now()), RANDOM), *others]
    chosen = [name for name in names_in(beside) if name in [name for _, name in offered]]
    return {"beside": gr.update(choices=offered, value=chosen), "unfit": _unfit(visitor, task)}


def _unfit(visitor: str, task: str) -> list[list[Any]]:
    """Why the runs that cannot take the task cannot, each family once."""
    known = {folder.run.model: folder.run for folder in askable(visitor) if folder.run.task is None}
    refusals = [untunable(run, task) for run in known.values() if not suits(run, TASKS[task])]
    return [["note", complaint(error)] for error in refusals]
