"""One vector or many? The fold that shows the vectors of a word of several senses."""

from typing import Any

import gradio as gr

from lab.ui.components.prose import Prose
from lab.ui.components.word_senses import WordSenses
from lab.ui.pages.finetune.senses import FIRST, NOTHING, PANELS, drawn, offered
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import prompt_field
from lab.ui.shell.panel import any_of
from lab.ui.words import say, word

NARROW = 240  # px below which a control stands beneath the one before it


def senses_fold(frame: Frame) -> dict[str, Any]:
    """The fold's parts by name."""
    parts: dict[str, Any] = {}
    with gr.Accordion(word("finetune.senses"), open=False) as parts["senses fold"]:
        Prose([["note", say("finetune.senses.note")]])
        with gr.Row():
            chosen = gr.Dropdown(
                [FIRST["en"]],
                value=FIRST["en"],
                allow_custom_value=True,
                label=word("finetune.senses.word"),
                min_width=NARROW,
            )
            parts["senses word"] = frame.begins(frame.share("word", chosen), **FIRST)
            parts["senses runs"] = gr.Dropdown(
                [],
                value=[],
                multiselect=True,
                max_choices=PANELS,
                label=word("finetune.senses.runs"),
                min_width=NARROW,
            )
        parts["senses own"] = prompt_field(
            "", lines=2, max_lines=8, label=word("finetune.senses.own"), info=word("finetune.senses.own.note")
        )
        parts["senses"] = WordSenses(NOTHING)
        parts["senses note"] = Prose([])
    return parts


def wire_senses(frame: Frame, parts: dict[str, Any]) -> None:
    """Nothing is worked out before the fold is opened."""
    chosen = {name: parts[name] for name in ("senses word", "senses runs")}
    shown = {name: parts[name] for name in ("senses", "senses note")}
    asked = [frame.visitor, parts["senses word"], parts["senses runs"], parts["senses own"]]
    listing = [frame.visitor, parts["senses runs"]]
    unfolded = frame.listen(parts["senses fold"].expand, offered, listing, chosen)
    frame.listen(unfolded.then, drawn, asked, shown)
    changes = any_of([parts[name].change for name in ("senses word", "senses runs", "senses own")])
    frame.listen(changes, drawn, asked, shown)
