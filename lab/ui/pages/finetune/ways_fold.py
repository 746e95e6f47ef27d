"""How much must move? The fold that shows every way to fine-tune, as it was measured for the lab."""

import gradio as gr

from lab.experiments.recorded import recorded
from lab.ui.components.curve import Curve
from lab.ui.components.prose import Command, Prose
from lab.ui.components.side_by_side import Table
from lab.ui.pages.finetune.moved import about, numbers, of_ways
from lab.ui.words import say, word


def ways_fold() -> None:
    """Lay the fold out. It never changes: what a visitor's own arms come to stands beside their scores."""
    document = recorded("tuning_ways")
    if document is None:
        return
    with gr.Accordion(word("finetune.moved.question"), open=False):
        Prose([["note", say("finetune.moved.note")]])
        Curve(of_ways(document), label=word("finetune.ways"))
        Prose(about(document))
        with gr.Accordion(word("finetune.study.numbers"), open=False):
            Table(numbers(document))
        Command({"command": f"{document['start']['command']} --out {document['start']['name']}\n{document['command']}"})
