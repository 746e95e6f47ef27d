"""Why not mask them all? The fold that shows what 80/10/10 is for, and lets the visitor train two models to see it."""

from typing import Any

import gradio as gr

from lab.ui.components.bars import Bars
from lab.ui.components.prose import Command, Prose
from lab.ui.components.side_by_side import Table
from lab.ui.pages.finetune.masking import STEPS, about, bars, begin, follow, numbers
from lab.ui.pages.finetune.recorded import recorded
from lab.ui.shell.figures import grouped
from lab.ui.shell.frame import Frame
from lab.ui.words import say, word


def masking_fold(frame: Frame) -> dict[str, Any]:
    """The fold's parts by name; none where nothing was measured."""
    document = recorded("masking")
    if document is None:
        return {}
    parts: dict[str, Any] = {"masking seen": gr.State(None)}
    with gr.Accordion(word("finetune.masking"), open=False) as parts["masking fold"]:
        Prose([["note", say("finetune.masking.note")]])
        Bars(bars(document), label=word("finetune.masking.picture"))
        Prose(about(document))
        Table(numbers(document))
        Command({"command": document["command"]})
        Prose([["h3", say("finetune.masking.own")], ["note", say("finetune.masking.own.note", n=grouped(STEPS))]])
        parts["masking start"] = gr.Button(word("finetune.masking.go"), variant="primary", size="sm")
        parts["masking state"] = Prose([])
        parts["masking own"] = Table({"columns": [], "rows": [], "empty": ""})
    parts["masking timer"] = gr.Timer(2.0, active=False)
    return parts


def wire_masking(frame: Frame, parts: dict[str, Any]) -> None:
    """What the fold answers; nothing is looked for before it is opened."""
    if "masking fold" not in parts:
        return
    names = ("masking seen", "masking state", "masking own", "masking timer")
    shown = {name: parts[name] for name in names}
    frame.listen(parts["masking start"].click, begin, [frame.visitor], shown)
    frame.listen(parts["masking fold"].expand, follow, [frame.visitor], shown)
    frame.listen(parts["masking timer"].tick, follow, [frame.visitor, parts["masking seen"]], shown)
