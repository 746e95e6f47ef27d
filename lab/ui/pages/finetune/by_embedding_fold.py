"""With nothing trained: the fold that shows similarity by embedding, for the chosen run and the chosen examples."""

from typing import Any

import gradio as gr

from lab.ui.components.curve import Curve
from lab.ui.components.prose import Command, Prose
from lab.ui.components.tiles import Tiles
from lab.ui.pages.finetune.by_embedding import NOTHING, TASK, follow, offered, own, unfold
from lab.ui.pages.finetune.samples import SAMPLES
from lab.ui.shell.answers import Values
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import prompt_field
from lab.ui.shell.panel import Panel, any_of
from lab.ui.words import LANGUAGES, say, word

PARTS = ("drawn", "picture", "about", "tiles", "own", "command")


def by_embedding_fold(frame: Frame) -> dict[str, Any]:
    """The fold's parts by name; it is in sight where the task is semantic textual similarity."""
    parts: dict[str, Any] = {"embedding open": gr.State(False), "embedding drawn": gr.State(None)}
    with gr.Column(visible=False) as parts["embedding"], gr.Accordion(word("finetune.embedding"), open=False) as fold:
        Prose([["note", say("finetune.embedding.note")]])
        parts["embedding picture"] = Curve(NOTHING, label=word("finetune.embedding.picture"))
        parts["embedding about"] = Prose([])
        with gr.Row():
            for name in ("one", "other"):
                box = prompt_field(label=word(f"finetune.embedding.{name}"), lines=1, max_lines=4, min_width=200)
                parts[name] = frame.begins(frame.share(name, box), **_first(name))
        parts["embedding tiles"] = Tiles()
        parts["embedding own"] = Prose([])
        parts["embedding command"] = Command({"command": ""})
    parts["embedding fold"] = fold
    return parts


def _first(name: str) -> dict[str, str]:
    samples = {language: SAMPLES[TASK, language] for language in LANGUAGES}
    return {language: sample.text if name == "one" else sample.second for language, sample in samples.items()}


def wire_by_embedding(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    """Nothing is worked out before the fold is opened; from then on it follows the page's choices."""
    shown = {f"embedding {name}": parts[f"embedding {name}"] for name in PARTS}
    opened, typed = {"embedding open": parts["embedding open"]}, [parts["one"], parts["other"]]
    chosen = [*typed, *panel.components]

    def expand(visitor: str, one: str, other: str, *values: Any) -> Values:
        return unfold(visitor, one, other, panel.read(values))

    def change(visitor: str, opened: bool, one: str, other: str, *values: Any) -> Values:
        return follow(visitor, opened, one, other, panel.read(values))

    there = {"embedding": parts["embedding"]}
    frame.opens(offered, [parts["task"]], there)
    frame.listen(parts["task"].change, offered, [parts["task"]], there)
    fold = parts["embedding fold"]
    frame.listen(fold.expand, expand, [frame.visitor, *chosen], opened | shown)
    frame.listen(fold.collapse, lambda: {"embedding open": False}, [], opened)
    asked = [frame.visitor, parts["embedding open"], *chosen]
    frame.listen(any_of([control.change for control in panel.components]), change, asked, shown)
    answered = {name: shown[name] for name in ("embedding tiles", "embedding own")}
    wanted = [frame.visitor, parts["embedding drawn"], *typed]
    frame.listen(any_of([each.change for each in typed]), own, wanted, answered)
