"""Cost and depth: the folds that measure on this machine."""

from typing import Any

import gradio as gr

from lab.ui.components.by_depth import ByDepth
from lab.ui.components.curve import Curve
from lab.ui.components.prose import Prose
from lab.ui.components.side_by_side import Table
from lab.ui.pages.attention.cost import NOTHING, cost_opened, measure_cost
from lab.ui.pages.attention.depth import deepened, warm_up
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.words import say, word

STREAM = {"queue": True, "concurrency_limit": 8}  # those who follow one measurement only wait


def cost(frame: Frame, picker: RunPicker, text: Any) -> None:
    """The fold of time and memory."""
    with gr.Accordion(word("attention.cost"), open=False) as fold:
        Prose([["note", say("attention.cost.note")]])
        button = gr.Button(word("attention.cost.measure"), size="sm", scale=0)
        said = Prose([], elem_id="attention-cost-said")
        with gr.Row():
            with gr.Column(min_width=320):
                time = Curve(NOTHING["time"], label=word("attention.cost.time.title"), elem_id="attention-cost-time")
            with gr.Column(min_width=320):
                label = word("attention.cost.memory.title")
                memory = Curve(NOTHING["memory"], label=label, elem_id="attention-cost-memory")
        label = word("attention.cost.next.title")
        following = Curve(NOTHING["next"], label=label, elem_id="attention-cost-next")
        table = Table({"columns": [], "rows": [], "empty": ""}, elem_id="attention-cost-formulas")
    charts = {"time": time, "memory": memory, "next": following, "said": said}
    asked = due(frame.fold("cost", fold), [text.change, *picker.changes])
    shown = {**charts, "formulas": table}
    frame.listen(asked.change, of_model(cost_opened), [*picker.asked, text], shown, trigger_mode="always_last")
    frame.listen(button.click, measure_cost, None, charts, **STREAM)


def depth(frame: Frame, picker: RunPicker, text: Any) -> None:
    """The fold of post-norm and pre-norm."""
    waiting = {"series": [], "dials": False, "empty": say("attention.depth.waiting"), "logx": True}
    with gr.Accordion(word("attention.depth"), open=False) as fold:
        Prose([["note", say("attention.depth.note")]])
        layers = ByDepth({"empty": say("attention.depth.waiting")}, elem_id="attention-depth")
        across = Curve(waiting, label=word("attention.depth.across"), elem_id="attention-depth-across")
        theory = Prose([], elem_id="attention-depth-said")
        button = gr.Button(word("attention.depth.learn"), size="sm", scale=0)
        unlearnt = {"series": [], "dials": False, "empty": say("attention.depth.learning.empty")}
        losses = Curve(unlearnt, label=word("attention.depth.learning"), elem_id="attention-depth-learning")
        learnt = Prose([], elem_id="attention-depth-learnt")
    asked = due(frame.fold("depth", fold), [text.change, *picker.changes])
    learning = {"learning": losses, "learnt": learnt}
    shown = {"layers": layers, "across": across, "theory": theory, **learning}
    frame.listen(asked.change, of_model(deepened), [*picker.asked, text], shown, trigger_mode="always_last", **STREAM)
    frame.listen(button.click, of_model(warm_up), [*picker.asked, text], learning, **STREAM)
