"""The judge: whose surprise at texts is measured, the model itself or another run that gives texts a probability."""

from typing import Any

import gradio as gr

from lab.inference.model import Trained
from lab.inference.scoring import scores_texts
from lab.serve.ownership import seen
from lab.ui.components.memo import Memo
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.frame import Frame
from lab.ui.shell.visitor import choices
from lab.ui.words import say, word

ITSELF = ""  # instead of a run's id


def judge_picker(frame: Frame) -> Memo:
    """A dropdown of judges; the memo holds the id of the run, ITSELF for the model, and is shared as ``judge``. The
    list is read anew when somebody unfolds it, or an address names a run."""
    judge = frame.share("judge", Memo(ITSELF, pattern=r"[\w.-]{0,200}"))
    dropdown = gr.Dropdown(
        [(word("generate.judge.itself"), ITSELF)],
        value=ITSELF,
        label=word("generate.judge"),
        info=word("generate.judge.info"),
        filterable=False,
        elem_id="generate-judge",
    )
    answered = {"choices": dropdown, "judge": judge}
    for event in (dropdown.focus, judge.change):
        frame.listen(event, judges, [judge, frame.visitor], answered)
    dropdown.input(None, [dropdown], [judge], js="(judge) => [judge || '']", api_visibility="private")
    return judge


def judges(judge: str, visitor: str) -> Values:
    """The judges of this moment, and the chosen one, or the model itself where that cannot judge."""
    runs = [(word("generate.judge.itself"), ITSELF), *choices(visitor, scores_texts)]
    chosen = judge if judge in [name for _, name in runs] else ITSELF
    return {"choices": gr.update(choices=runs, value=chosen), "judge": chosen}


def judge_of(judge: str, run: str) -> Trained | None:
    """The judge of what the run writes; None where the model itself would have to judge and cannot."""
    name = judge or run
    trained = visitor.trained(name) if name else None
    return trained if trained is not None and scores_texts(trained.run) else None


def name_of(judge: str, run: str) -> Any:
    """What a judge is called beside its verdict."""
    name = judge.partition("@")[0]
    if not name or name == run.partition("@")[0]:
        return say("generate.judge.itself")
    folder = seen(name)
    return visitor.label(folder.run, folder)
