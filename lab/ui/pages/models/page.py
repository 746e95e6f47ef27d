"""Models: every family of the lab in a tree, and each beside the one that it changed, line by line."""

from typing import Any

import gradio as gr

from lab.catalog import MODELS
from lab.ui.components.family_tree import FamilyTree
from lab.ui.components.prose import Prose
from lab.ui.components.side_by_side import SideBySide, Table
from lab.ui.pages.models.handlers import NEAREST, WAYS, called, card, families
from lab.ui.shell.frame import Frame
from lab.ui.words import both, word

NAME = "models"
FIRST = "albert"


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("models.title", "models.lead")
    tree = FamilyTree(FIRST, families=families(), ways=WAYS, label=word("models.tree"))
    frame.share("model", tree)
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            description = Prose([], elem_id="models-card")
            with gr.Row(elem_classes=["lab-examples"]):
                learn = gr.Button(word("models.pretrain"), size="sm")
                learn.click(None, [tree], None, js=frame.goto("pretrain", "model"), api_visibility="private")
        with gr.Column(scale=6, min_width=320):
            sizes = Table(
                {}, label=word("models.sizes"), elem_id="models-sizes", elem_classes=["lab", "lab-table", "whole"]
            )
    choices: list[Any] = [(word("models.nearest"), NEAREST)]
    choices += [(both(*called(entry).values()), entry.name) for entry in MODELS]
    other = gr.Dropdown(choices, value=NEAREST, label=word("models.other"), elem_id="models-other")
    frame.share("beside", other)
    recipes = SideBySide({}, label=word("models.recipes"), elem_id="models-recipes")
    line = frame.command()
    inputs = [tree, other]
    outputs = {"other": other, "description": description, "sizes": sizes, "recipes": recipes, "command": line}
    frame.listen(tree.change, card, inputs, outputs)
    frame.listen(other.change, card, inputs, outputs)
    frame.opens(card, inputs, outputs)
