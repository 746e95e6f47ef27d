"""What each layer knows: the fold that shows probes of the chosen runs on the chosen texts."""

from typing import Any

import gradio as gr

from lab.ui.components.curve import Curve
from lab.ui.components.prose import Command, Prose
from lab.ui.pages.finetune.probing import NOTHING, follow, offered
from lab.ui.shell.answers import Values
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import Panel, any_of
from lab.ui.words import say, word

PARTS = ("picture", "about", "command")


def probing_fold(frame: Frame) -> dict[str, Any]:
    """The fold's parts by name; it is in sight where the task's answers are classes."""
    parts: dict[str, Any] = {"probe open": gr.State(False)}
    with gr.Column() as parts["probe"], gr.Accordion(word("finetune.probe"), open=False) as fold:
        Prose([["note", say("finetune.probe.note")]])
        parts["probe picture"] = Curve(NOTHING, label=word("finetune.probe.picture"), elem_id="finetune-probe")
        parts["probe about"] = Prose([])
        parts["probe command"] = Command({"command": ""})
    parts["probe fold"] = frame.fold("probing", fold)
    return parts


def wire_probing(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    """Nothing is worked out before the fold is opened; from then on it follows the page's choices."""
    shown = {f"probe {name}": parts[f"probe {name}"] for name in PARTS}
    opened, there = {"probe open": parts["probe open"]}, {"probe": parts["probe"]}

    def expand(visitor: str, *values: Any) -> Values:
        return {"probe open": True, **follow(visitor, True, panel.read(values))}

    def change(visitor: str, opened: bool, *values: Any) -> Values:
        return follow(visitor, opened, panel.read(values))

    frame.opens(offered, [parts["task"]], there)
    frame.listen(parts["task"].change, offered, [parts["task"]], there)
    fold = parts["probe fold"]
    frame.listen(fold.expand, expand, [frame.visitor, *panel.components], opened | shown)
    frame.listen(fold.collapse, lambda: {"probe open": False}, [], opened)
    asked = [frame.visitor, parts["probe open"], *panel.components]
    changes = any_of([control.change for control in panel.components])
    frame.listen(changes, change, asked, shown, trigger_mode="always_last")
