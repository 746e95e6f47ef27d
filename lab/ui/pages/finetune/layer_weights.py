"""ELMo's layer weights: which layers of the biLM a task came to read (Peters et al. 2018, equation 1 and figure 2)."""

from collections.abc import Sequence
from typing import Any

import gradio as gr
from torch import nn

from lab.layers.bilm import Mix
from lab.ui.pages.finetune.arms import called
from lab.ui.runs.fine_tuning import MOST, names_in
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent
from lab.ui.shell.visitor import readable, trained, usable
from lab.ui.words import say

MIXING = "elmo"  # the family whose tasks read a mixture of layers

Weights = tuple[list[float], float]  # one for each layer, from the token vectors up, adding up to 1; and the scale


def layer_weights(visitor: str, names: str) -> Values:
    """The weights of all arms that mix layers, in sight where there is one."""
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    mixing = [folder.run.model == MIXING and usable(folder) for folder in folders]
    if not any(mixing):
        return {"mixed": gr.update(visible=False)}
    arms = zip(folders, called(visitor, folders), mixing, strict=True)
    found = [(title, weights_of(trained(folder.name).model)) for folder, title, mixes in arms if mixes]
    return {"mixed": gr.update(visible=True), "layer weights": table(found)}


def weights_of(model: nn.Module) -> Weights:
    """What a fine-tuned model has learnt of its layers."""
    mix = next(part for part in model.modules() if isinstance(part, Mix))
    return mix.shares.detach().softmax(0).tolist(), float(mix.scale.detach())


def table(found: Sequence[tuple[Any, Weights]]) -> dict[str, Any]:
    """A row for each arm: the value of a Table."""
    most = max(len(shares) for _, (shares, _) in found)
    layers = [say("finetune.layers.tokens"), *(say("finetune.layers.lstm", n=n) for n in range(1, most))]
    rows = [
        [title, *map(percent, shares), *["–"] * (most - len(shares)), f"{scale:.3f}"]
        for title, (shares, scale) in found
    ]
    return {"columns": [say("finetune.ways.arm"), *layers, say("finetune.layers.scale")], "rows": rows}
