"""Weights and activations layer by layer: what of a run grew while it learnt, and where."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.analysis.layer_norms import LayerNorms, layer_norms
from lab.inference.model import Trained, load
from lab.inference.probe import attends
from lab.runs.folder import RunFolder
from lab.runs.snapshots import steps
from lab.settings import SettingsError
from lab.ui.components.curve import Curve
from lab.ui.components.prose import Prose
from lab.ui.runs.follow import HEIGHT
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import readable
from lab.ui.words import complaint, say, word

MOST, LONGEST = 5, 64  # lines, and tokens of the text
PLAIN = "The town was quiet. 小镇很安静。"  # read where a run has no pinned sentence
PICTURES = ("states", "weights")
COLOURS = ("original", "kept", "replaced", "masked", "predicted")

_norms = Kept(8)  # by run and its steps


def by_layer(frame: Frame, run: Any, moment: Any) -> None:
    """The fold: worked out only while it is open."""
    with gr.Accordion(word("pretrain.layers"), open=False) as fold:
        Prose([["note", say("pretrain.layers.note")]])
        nothing, curves = _nothing(say("pretrain.layers.waiting")), {}
        with gr.Row():
            for name in PICTURES:
                with gr.Column(min_width=320):
                    curves[name] = Curve(nothing, label=word(f"pretrain.layers.{name}"))
    asked = due(frame.fold("layers", fold), [run.change, moment.change])
    frame.listen(asked.change, along, [frame.visitor, run], curves, trigger_mode="always_last")


def along(visitor: str, name: str) -> Values:
    """Both pictures, of a few of the steps at which the run's weights were kept."""
    if not name:
        return dict.fromkeys(PICTURES, _nothing(say("pretrain.layers.waiting")))
    folder = readable(name, visitor)
    try:
        kept = spread(steps(folder.path))
        found: LayerNorms = _norms.get((folder.name, *kept), lambda: measured(folder, kept))
    except SettingsError as error:
        return dict.fromkeys(PICTURES, _nothing(complaint(error)))
    return {
        "states": _picture(found.steps, found.states.tolist(), 0),
        "weights": _picture(found.steps, found.weights.tolist(), 1),
    }


def measured(folder: RunFolder, kept: Sequence[int]) -> LayerNorms:
    """The norms at these steps; as the run is now, where it has kept none yet. Raises SettingsError for a model without
    transformer layers."""
    moments: Sequence[int | None] = kept or [None]
    models = [_of_layers(load(folder, step)) for step in moments]
    return layer_norms(models, folder.run.pinned or PLAIN, LONGEST)


def _of_layers(trained: Trained) -> Trained:
    if not attends(trained.model):
        raise SettingsError(
            "this model is not made of transformer layers: there is nothing to draw layer by layer",
            "这个模型不是由 Transformer 层组成的，没有可逐层绘制的内容",
        )
    return trained


def spread(kept: Sequence[int]) -> list[int]:
    """A few of the steps, the first and the last among them."""
    places = {round(at * (len(kept) - 1) / (MOST - 1)) for at in range(MOST)} if kept else set()
    return [kept[place] for place in sorted(places)]


def _nothing(why: Any) -> dict[str, Any]:
    return {"series": [], "empty": why, "dials": False, "height": HEIGHT}


def _picture(moments: Sequence[int], rows: Sequence[Sequence[float]], first: int) -> dict[str, Any]:
    """A line for each moment over the layers, which are counted from ``first``: 0 is the embedding."""
    series = [
        {
            "name": say("pretrain.layers.step", n=grouped(step)),
            "colour": colour,
            "dots": True,
            "x": [first + at for at in range(len(row))],
            "y": [float(f"{value:.5g}") for value in row],
        }
        for step, row, colour in zip(moments, rows, COLOURS[-len(moments) :], strict=True)
    ]
    axes = {"x": say("pretrain.layers.x"), "y": "", "low": 0, "legend": True}
    return _nothing("") | {"series": series} | axes
