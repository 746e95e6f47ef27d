"""Why not mask them all? The fold that shows what 80/10/10 is for, and lets the visitor train two models to see it."""

from typing import Any

import gradio as gr

from lab.experiments.recorded import recorded
from lab.ui.components.bars import Bars
from lab.ui.components.prose import Command, Prose
from lab.ui.components.side_by_side import Table
from lab.ui.pages.finetune.mask_shares import STEPS, about, bars, begin, follow, numbers
from lab.ui.shell.figures import grouped
from lab.ui.shell.frame import Frame
from lab.ui.words import say, word


def mask_shares_fold(frame: Frame) -> dict[str, Any]:
    """The fold's parts by name; none where nothing was measured."""
    document = recorded("masking")
    if document is None:
        return {}
    parts: dict[str, Any] = {"mask shares seen": gr.State(None)}
    with gr.Accordion(word("finetune.mask_shares"), open=False) as parts["mask shares fold"]:
        Prose([["note", say("finetune.mask_shares.note")]])
        Bars(bars(document), label=word("finetune.mask_shares.picture"))
        Prose(about(document))
        Table(numbers(document))
        Command({"command": document["command"]})
        Prose(
            [["h3", say("finetune.mask_shares.own")], ["note", say("finetune.mask_shares.own.note", n=grouped(STEPS))]]
        )
        parts["mask shares start"] = gr.Button(word("finetune.mask_shares.go"), variant="primary", size="sm")
        parts["mask shares state"] = Prose([])
        parts["mask shares own"] = Table({"columns": [], "rows": [], "empty": ""})
    parts["mask shares timer"] = gr.Timer(2.0, active=False)
    return parts


def wire_mask_shares(frame: Frame, parts: dict[str, Any]) -> None:
    """What the fold answers; nothing is looked for before it is opened."""
    if "mask shares fold" not in parts:
        return
    names = ("mask shares seen", "mask shares state", "mask shares own", "mask shares timer")
    shown = {name: parts[name] for name in names}
    frame.listen(parts["mask shares start"].click, begin, [frame.visitor], shown)
    frame.listen(parts["mask shares fold"].expand, follow, [frame.visitor], shown)
    frame.listen(parts["mask shares timer"].tick, follow, [frame.visitor, parts["mask shares seen"]], shown)
