"""Inside: the folds that show what becomes of a text from layer to layer."""

from typing import Any

import gradio as gr

from lab.ui.components.input_sum import SumPlane
from lab.ui.components.lens_table import LensTable
from lab.ui.components.memo import Memo
from lab.ui.components.over_training import Moments
from lab.ui.components.prose import Prose
from lab.ui.components.similarity import Similarity
from lab.ui.pages.attention.heads import KIND_OF, KINDS
from lab.ui.pages.attention.input_sum import added_up
from lab.ui.pages.attention.lens import through_the_lens
from lab.ui.pages.attention.moments import watch_forming
from lab.ui.pages.attention.similarity import similar_layers
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.words import say, word


def inside(frame: Frame, picker: RunPicker, text: Any, head: Any) -> None:
    """The folds, each worked out only while it is open. Another head of the same stack changes few of them."""
    kind = Memo("", pattern=KINDS)
    head.change(None, [head], [kind], js=KIND_OF, api_visibility="private")
    with gr.Accordion(word("attention.lens"), open=False) as fold:
        Prose([["note", say("attention.lens.note")]])
        note = Prose([], elem_id="attention-lens-said")
        table = LensTable({"empty": say("attention.lens.waiting")}, elem_id="attention-lens")
    asked = due(frame.fold("lens", fold), [text.change, *picker.changes])
    shown = {"lens": table, "lens note": note}
    frame.listen(asked.change, of_model(through_the_lens), [*picker.asked, text], shown, trigger_mode="always_last")
    with gr.Accordion(word("attention.similar"), open=False) as fold:
        Prose([["note", say("attention.similar.note")]])
        note = Prose([], elem_id="attention-similar-said")
        squares = Similarity({"empty": say("attention.similar.waiting")}, elem_id="attention-similar")
    asked = due(frame.fold("similar", fold), [text.change, kind.change, *picker.changes])
    shown = {"similar": squares, "similar note": note}
    frame.listen(asked.change, of_model(similar_layers), [*picker.asked, text, kind], shown, trigger_mode="always_last")
    with gr.Accordion(word("attention.moments"), open=False) as fold:
        Prose([["note", say("attention.moments.note")]])
        steps = Moments({"empty": say("attention.moments.waiting")}, elem_id="attention-moments")
        note = Prose([], elem_id="attention-moments-said")
        table = LensTable({"empty": ""}, elem_id="attention-moments-lens")
    asked = due(frame.fold("moments", fold), [text.change, head.change, picker.run.change])
    shown = {"moments": steps, "lens over training": table, "moments note": note}
    frame.listen(asked.change, watch_forming, [picker.run, text, head], shown, trigger_mode="always_last")
    with gr.Accordion(word("attention.sum"), open=False) as fold:
        Prose([["note", say("attention.sum.note")]])
        plane = SumPlane({"empty": say("attention.sum.waiting")}, elem_id="attention-sum")
        note = Prose([], elem_id="attention-sum-said")
        told = Prose([], elem_id="attention-positions-said")
        label = word("attention.positions")
        alike = Similarity({"empty": say("attention.sum.waiting")}, label=label, elem_id="attention-positions")
    asked = due(frame.fold("sum", fold), [text.change, kind.change, *picker.changes])
    shown = {"sum": plane, "sum note": note, "positions": alike, "positions note": told}
    frame.listen(asked.change, of_model(added_up), [*picker.asked, text, kind], shown, trigger_mode="always_last")
