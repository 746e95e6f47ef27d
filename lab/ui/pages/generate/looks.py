"""Cross-attention on the Generate page: what an encoder-decoder answers, and where it looked for each token."""

from typing import Any

import gradio as gr

from lab.inference.alignment import alignment
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.components.alignment import AlignmentStrips, alignment_value
from lab.ui.components.prose import Prose
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell import visitor
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.words import complaint, say, word

LONGEST = 64  # tokens that are written


def looks(frame: Frame, picker: RunPicker, text: Any) -> None:
    """The fold."""
    with gr.Accordion(word("generate.looks"), open=False) as fold:
        Prose([["note", say("generate.looks.lead")]])
        strips = AlignmentStrips({"empty": say("generate.looks.waiting")}, elem_id="generate-looks")
    asked = due(frame.fold("looks", fold), [text.change, *picker.changes])
    frame.listen(asked.change, of_model(where), [*picker.asked, text], strips, trigger_mode="always_last")


def where(run: str, text: str) -> dict[str, Any]:
    """The value of the strips."""
    within(text, limits().prompt)
    if not run:
        return {"empty": say("generate.no_runs")}
    try:
        found = alignment(visitor.trained(run), text, LONGEST)
    except SettingsError as error:
        return {"empty": complaint(error)}
    return alignment_value(found) if found.written else {"empty": say("generate.looks.nothing")}
