"""Many texts of one model on the Generate page, under the eyes of a judge: the folds that measure them."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from lab.ui.components.curve import Curve
from lab.ui.components.prose import Prose
from lab.ui.components.side_by_side import Table
from lab.ui.pages.generate.exposure import compare, nothing
from lab.ui.pages.generate.in_the_paper import direction
from lab.ui.pages.generate.judge import judge_picker
from lab.ui.pages.generate.measures import measure
from lab.ui.pages.generate.measures import nothing as unmeasured
from lab.ui.pages.generate.shots import MODELS, READY, others, ready
from lab.ui.pages.generate.shots import compare as in_context
from lab.ui.pages.generate.shots import nothing as unasked
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import prompt_field
from lab.ui.words import say, word

LONG = {"queue": True, "concurrency_limit": 2, "concurrency_id": "many texts"}  # two visitors at a time


def many_texts(frame: Frame, picker: RunPicker, text: Any, settings: Sequence[Any]) -> None:
    """The folds; ``settings`` are the seed and the samplers' controls."""
    Prose([["h2", say("generate.many")], ["note", say("generate.many.lead")]])
    judge = judge_picker(frame)
    with gr.Accordion(word("generate.measure"), open=False, elem_id="generate-measure"):
        Prose([["note", say("generate.measure.lead")]])
        with gr.Row(elem_classes=["lab-examples"]):
            start = gr.Button(word("generate.measure.start"), size="sm")
        table = Table(unmeasured(), elem_id="generate-measured")
        of = Prose([])
        asked = [*picker.asked, judge, text, *settings]
        Prose([["p", say("generate.paper")], ["note", say("generate.paper.lead")]])
        paper = Table(direction({}), elem_id="generate-paper")
        frame.listen(start.click, of_model(measure), asked, {"measured": table, "of": of, "paper": paper}, **LONG)
    with gr.Accordion(word("generate.exposure"), open=False) as fold:
        frame.fold("exposure", fold)
        Prose([["note", say("generate.exposure.lead")]])
        own = prompt_field(
            label=word("generate.exposure.own"), info=word("generate.exposure.info"), lines=2, max_lines=8
        )
        frame.share("real", own)
        with gr.Row(elem_classes=["lab-examples"]):
            start = gr.Button(word("generate.exposure.start"), size="sm", elem_id="generate-exposure-start")
        picture = Curve(nothing(say("generate.exposure.none")), elem_id="generate-exposure")
        said = Prose([], elem_id="generate-exposure-said")
        asked = [*picker.asked, judge, text, own, *settings]
        frame.listen(start.click, of_model(compare), asked, {"picture": picture, "said": said}, **LONG)
    few_shots(frame, picker, settings[0])


def few_shots(frame: Frame, picker: RunPicker, seed: Any) -> None:
    """In-context learning, of this model and others."""
    with gr.Accordion(word("generate.shots"), open=False) as fold:
        frame.fold("shots", fold)
        Prose([["note", say("generate.shots.lead")]])
        lines = prompt_field(
            label=word("generate.shots.lines"), info=word("generate.shots.info"), lines=6, max_lines=14
        )
        frame.begins(lines, en=ready("grammar", "en"), zh=ready("grammar", "zh"))
        frame.share("shots", lines)
        with gr.Row(elem_classes=["lab-examples"]):
            for name in READY:
                button = gr.Button(word(f"generate.shots.{name}"), size="sm")
                frame.listen(button.click, suited(name), [frame.language], lines)
        beside = gr.Dropdown(
            [],
            multiselect=True,
            max_choices=MODELS,
            label=word("generate.shots.beside"),
            info=word("generate.shots.sizes"),
            elem_id="generate-shots-beside",
        )
        frame.listen(beside.focus, others, [frame.visitor, beside], beside)
        label, info = word("generate.shots.calibrated"), word("generate.shots.calibrated.info")
        calibrated = frame.share("calibrated", gr.Checkbox(True, label=label, info=info))
        with gr.Row(elem_classes=["lab-examples"]):
            start = gr.Button(word("generate.shots.start"), size="sm", elem_id="generate-shots-start")
        shown = {
            "picture": Curve(unasked(say("generate.shots.none"))["picture"], elem_id="generate-shots"),
            "table": Table(unasked("")["table"], elem_id="generate-shots-table"),
            "prompt": Prose([], elem_id="generate-shots-prompt"),
        }
        frame.listen(start.click, of_model(in_context), [*picker.asked, beside, lines, calibrated, seed], shown, **LONG)


def suited(name: str) -> Callable[[Any], str]:
    """The handler of a button that sets labelled lines."""

    def chosen(language: Any) -> str:
        return ready(name, language)

    return chosen
