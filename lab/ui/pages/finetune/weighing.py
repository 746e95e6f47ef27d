"""Evidence in the visitor's own text: which tokens speak for the class that each arm names."""

from typing import Any

import gradio as gr

from lab.examples import Example
from lab.inference.answering import answer
from lab.inference.evidence import Evidence, evidence
from lab.inference.model import Trained
from lab.ui.pages.finetune.arms import TASKS_WITH_CLASSES, called
from lab.ui.pages.finetune.asking import example_of, task_of
from lab.ui.pages.finetune.comparison import named
from lab.ui.runs.fine_tuning import MOST, names_in
from lab.ui.shell.answers import Values
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import readable, trained, usable
from lab.ui.words import say

NAMES = ("gradient", "occlusion")
METHODS = [[name, say(f"finetune.evidence.{name}"), say(f"finetune.evidence.{name}.note")] for name in NAMES]
LACKS = {name: say(f"finetune.evidence.{name}.lacks") for name in NAMES}
_weighed = Kept(64)  # by run, step and example: the page opens with the same for everybody
NOTHING: dict[str, Any] = {"rows": [], "methods": METHODS, "empty": say("finetune.bars.empty")}


def weigh(visitor: str, names: str, text: str, second: str) -> Values:
    """What each token of the input adds to the class that each arm names."""
    task = task_of(visitor, names)
    if task.name not in TASKS_WITH_CLASSES:
        return {"evidence": gr.update(visible=False)}
    example = example_of(task, text, second, "")
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    arms = zip(folders, called(visitor, folders), strict=True)
    rows = [_row(folder.name, example, title) for folder, title in arms if example and usable(folder)]
    nothing = NOTHING if example else NOTHING | {"empty": say("finetune.bars.fill")}
    return {"evidence": gr.update(visible=True, value=nothing | {"rows": rows})}


def _row(run: str, example: Example, title: Any) -> dict[str, Any]:
    model = trained(run)
    label, found = _weighed.get((run, model.step, example), lambda: _weigh(model, example))
    told = {"gradient": found.gradient, "occlusion": found.occlusion}
    known = {name: values for name, values in told.items() if values is not None}
    return {
        "label": say("finetune.evidence.of", arm=title, name=named(model.labels)[label]),
        "tokens": _tokens(found, known),
        "lacks": {name: LACKS[name] for name in told.keys() - known.keys()},
    }


def _weigh(model: Trained, example: Example) -> tuple[int, Evidence]:
    label = answer(model, example).label
    return label, evidence(model, example, label)


def _tokens(found: Evidence, known: dict[str, list[float]]) -> list[dict[str, Any]]:
    return [
        {
            "text": piece.text,
            "bytes": piece.bytes.hex(),
            "special": piece.special,
            **{name: round(values[at], 5) for name, values in known.items()},
        }
        for at, piece in enumerate(found.pieces)
    ]
