"""When does pretraining pay? The fold that shows a study of label budgets, and lets the visitor repeat it."""

from typing import Any

import gradio as gr

from lab.ui.components.choice import Choice
from lab.ui.components.curve import Curve
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Command, Prose
from lab.ui.components.side_by_side import Table
from lab.ui.pages.finetune.label_budgets import NOTHING
from lab.ui.pages.finetune.studies import BUDGETS, USUAL, begin, cost, look, resume, stop
from lab.ui.shell.answers import Values
from lab.ui.shell.forms import Slider
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import Panel, any_of
from lab.ui.words import say, word

SEEDS, STEPS = (1, 5), (10, 500)
PICK = "(name) => name"
WATCH = """() => document.getElementById("finetune-study").scrollIntoView({ block: "center" })"""


def study_fold(frame: Frame) -> dict[str, Any]:
    """The fold's parts by name."""
    parts: dict[str, Any] = {
        "study": frame.share("study", Memo(pattern=r"[\w.-]{0,60}")),
        "study seen": gr.State(None),
    }
    with gr.Accordion(word("finetune.study"), open=True):
        Prose([["note", say("finetune.study.note")]])
        parts["studies"] = gr.Radio([], label=word("finetune.study.shown"))
        parts["study picture"] = Curve(NOTHING, label=word("finetune.study.picture"), elem_id="finetune-study")
        parts["study state"] = Prose([])
        parts["study stop"] = gr.Button(word("finetune.study.stop"), variant="stop", visible=False, size="sm")
        parts["study resume"] = gr.Button(word("finetune.resume"), visible=False, size="sm")
        parts["study about"] = Prose([])
        with gr.Accordion(word("finetune.study.numbers"), open=False):
            parts["study numbers"] = Table({"columns": [], "rows": [], "empty": say("finetune.study.empty")})
        parts["study command"] = Command({"command": ""})
        with gr.Accordion(word("finetune.study.own.title"), open=False):
            parts |= _dials(frame)
    parts["study timer"] = gr.Timer(2.0, active=False)
    return parts


def _dials(frame: Frame) -> dict[str, Any]:
    """What a study of one's own takes beside what the page's dials say."""
    Prose([["note", say("finetune.study.own.note")]])
    budgets = [{"name": str(n), "title": f"{n:,}"} for n in BUDGETS]
    parts = {
        "budgets": frame.share("budgets", Choice(USUAL, options=budgets, many=True, label=word("finetune.labels")))
    }
    with gr.Row():
        parts["seeds"] = frame.share("seeds", Slider(*SEEDS, 2, step=1, label=word("finetune.study.seeds")))
        parts["steps"] = frame.share("study_steps", Slider(*STEPS, 60, step=10, label=word("finetune.study.steps")))
    parts["study cost"] = Prose([])
    parts["study start"] = gr.Button(word("finetune.study.go"), variant="primary", elem_id="finetune-study-start")
    return parts


def wire_study(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    """What the fold answers."""
    visitor, dials = frame.visitor, [parts[name] for name in ("budgets", "seeds", "steps")]
    shown = ("study", "studies", "study picture", "study state", "study about", "study numbers", "study command")
    seen = {name: parts[name] for name in (*shown, "study seen", "study stop", "study resume", "study timer")}

    def asked(values: tuple[Any, ...]) -> Values:
        budgets, seeds, steps, *others = values
        return {**panel.read(others), "budgets": budgets, "study_seeds": seeds, "study_steps": steps}

    def start(visitor: str, *values: Any) -> Values:
        return begin(visitor, asked(values))

    def price(visitor: str, *values: Any) -> Values:
        return cost(visitor, asked(values))

    own = [visitor, *dials, *panel.components]
    frame.opens(look, [visitor, parts["study"]], seen)
    parts["studies"].input(None, [parts["studies"]], [parts["study"]], js=PICK, api_visibility="private")
    frame.listen(parts["study"].change, look, [visitor, parts["study"], parts["study seen"]], seen)
    frame.listen(parts["study timer"].tick, look, [visitor, parts["study"], parts["study seen"]], seen)
    parts["study start"].click(None, None, None, js=WATCH, api_visibility="private")
    frame.listen(parts["study start"].click, start, own, seen)
    frame.listen(parts["study stop"].click, stop, [visitor, parts["study"]], seen)
    frame.listen(parts["study resume"].click, resume, [visitor, parts["study"]], seen)
    changes = any_of([control.change for control in (*dials, *panel.components)])
    frame.listen(changes, price, own, {"study cost": parts["study cost"]})
    frame.opens(price, own, {"study cost": parts["study cost"]})
