"""Similarity by embedding: what the cosine of two sentence vectors says of the chosen run, with nothing trained.

L layers   N pairs
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr
import numpy as np

from lab.catalog import CORPORA, OBJECTIVES, TASKS
from lab.data.reading import parts_in
from lab.examples import Example
from lab.inference.model import Trained
from lab.inference.sentence_vectors import POOLED, Cosines, cosines, spearman_by_layer
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.runs.labelled_texts import budget_of, evaluation, labelled
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, percent
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import saved, trained
from lab.ui.words import complaint, say

TASK = "similarity"
PAIRS = 300  # of the validation examples, at most: each is read by the model while the visitor waits
COLOURS = {"mean": "predicted", "cls": "replaced"}
NOTHING: dict[str, Any] = {"series": [], "empty": say("finetune.embedding.empty"), "dials": False, "legend": True}
NOTHING |= {"x": say("finetune.mismatch.layer"), "y": say("finetune.measure.spearman"), "high": 1, "height": 280}
DIGITS = 3

_held, _measured, _asked = Kept(8), Kept(16), Kept(64)


@dataclass(frozen=True)
class Drawn:
    """What the picture is of: a run by its id, and a corpus with its settings, as JSON."""

    run: str
    corpus: str
    settings: str


@dataclass(frozen=True)
class Held:
    """The validation examples that are read, of how many, and what word overlap says of them."""

    examples: list[Example]
    of: int
    overlap: float


@dataclass(frozen=True)
class Measured:
    """Cosines (2, L + 1, N) of the pairs, and how well they stand in the order of the truth."""

    held: Held
    cosines: Cosines
    spearman: dict[str, list[float]]

    def best(self, pooled: str) -> int:
        """The layer whose cosines say most, 0 for the embedding."""
        return int(np.argmax(self.spearman[pooled]))


def offered(task: str) -> Values:
    """The fold is there for the task that it is about."""
    return {"embedding": gr.update(visible=task == TASK)}


def unfold(visitor: str, one: str, other: str, asked: Mapping[str, Any]) -> Values:
    """The picture, and what it says of the visitor's own two sentences."""
    return {"embedding open": True, **follow(visitor, True, one, other, asked)}


def follow(visitor: str, opened: bool, one: str, other: str, asked: Mapping[str, Any]) -> Values:
    """The same after another choice; nothing is worked out while the fold is closed."""
    if not opened or asked.get("task") != TASK:
        return {}
    try:
        drawn = _chosen(asked)
        model, found = _found(visitor, drawn)
    except SettingsError as error:
        nothing = {"embedding drawn": None, "embedding picture": NOTHING, "embedding command": {"command": ""}}
        return nothing | {"embedding about": _why(error), "embedding tiles": {"tiles": []}, "embedding own": []}
    return {
        "embedding drawn": drawn,
        "embedding picture": picture(model, found),
        "embedding about": about(model, found),
        "embedding command": {"command": command(drawn)},
        **own(visitor, drawn, one, other),
    }


def own(visitor: str, drawn: Drawn | None, one: str, other: str) -> Values:
    """How alike the visitor's own two sentences are, at the layer that is best on the pairs that are drawn; nothing
    where none are, for the reason stands there."""
    if drawn is None:
        return {}
    for text in (one or "", other or ""):
        within(text, limits().prompt)
    nothing: Values = {"embedding tiles": {"tiles": []}, "embedding own": []}
    if not (one or "").strip() or not (other or "").strip():
        return nothing | {"embedding own": [["note", say("finetune.embedding.two")]]}
    model, found = _found(visitor, drawn)
    example = Example(one.strip(), pair=other.strip())
    try:
        said: Cosines = _asked.get((drawn.run, model.step, example), lambda: cosines(model, [example]))
    except SettingsError as error:
        return nothing | {"embedding own": _why(error)}
    tiles = [_tile(model, found, pooled, said[number, found.best(pooled), 0]) for number, pooled in enumerate(POOLED)]
    return nothing | {"embedding tiles": {"tiles": tiles}}


def _chosen(asked: Mapping[str, Any]) -> Drawn:
    """The starting run, and the examples that a comparison with the same choice is checked on."""
    if not asked["parent"]:
        raise SettingsError("there is no pretrained run yet: pretrain one first", "还没有预训练：请先预训练一个模型")
    texts = labelled(asked, TASKS[TASK], budget_of(asked))
    return Drawn(str(asked["parent"]), texts.corpus, json.dumps(dict(texts.settings), sort_keys=True))


def _found(visitor: str, drawn: Drawn) -> tuple[Trained, Measured]:
    model = trained(saved(drawn.run, visitor).name)
    return model, measured(model, drawn)


def measured(model: Trained, drawn: Drawn) -> Measured:
    """What the cosines of a run's vectors say of the examples; worked out once for each state of the run."""

    def work_out() -> Measured:
        held: Held = _held.get((drawn.corpus, drawn.settings), lambda: _examples(drawn))
        found = cosines(model, held.examples)
        return Measured(held, found, spearman_by_layer(found, [example.value for example in held.examples]))

    result: Measured = _measured.get((drawn, model.step), work_out)
    return result


def _examples(drawn: Drawn) -> Held:
    corpus = CORPORA[drawn.corpus]
    valid = parts_in(corpus, corpus.settings.load(json.loads(drawn.settings)), TASKS[TASK]).valid
    few = [*valid[:PAIRS]]
    return Held(few, len(valid), TASKS[TASK].yardsticks((), few, ())["overlap"])


def picture(model: Trained, found: Measured) -> dict[str, Any]:
    """Spearman's correlation over the layers, by the mean and by [CLS], and the yardstick as a line: a Curve."""
    series = [
        {"name": pooled_title(model, name), "colour": COLOURS[name], "x": [*range(len(line))], "y": line, "dots": True}
        for name, line in found.spearman.items()
    ]
    lines = [{"name": say("finetune.yardstick.overlap"), "y": found.held.overlap}]
    return NOTHING | {"series": series, "baselines": lines}


def about(model: Trained, found: Measured) -> list[list[Any]]:
    """Which vectors say most, beside the yardstick, and of how many pairs: the value of a Prose."""
    name = max(POOLED, key=lambda pooled: max(found.spearman[pooled]))
    layer, held = found.best(name), found.held
    best = f"{found.spearman[name][layer]:.{DIGITS}f}"
    facts = {"pooled": pooled_title(model, name), "layer": layer_title(layer), "n": grouped(len(held.examples))}
    told = [["p", say("finetune.embedding.gist", **facts, best=best, overlap=f"{held.overlap:.{DIGITS}f}")]]
    if held.of > len(held.examples):
        told.append(["note", say("finetune.embedding.few", n=facts["n"], of=grouped(held.of))])
    return told


def _tile(model: Trained, found: Measured, pooled: str, cosine: float) -> dict[str, Any]:
    """A cosine beside its yardstick: how many of the pairs are less alike."""
    layer = found.best(pooled)
    less = float(np.mean(found.cosines[POOLED.index(pooled), layer] < cosine))
    named = {"pooled": pooled_title(model, pooled), "layer": layer_title(layer)}
    return {
        "name": say("finetune.embedding.at", **named),
        "value": round(float(cosine), DIGITS),
        "digits": DIGITS,
        "note": say("finetune.embedding.than", share=percent(less)),
    }


def _why(error: SettingsError) -> list[list[Any]]:
    return [["note", complaint(error)]]


def pooled_title(model: Trained, pooled: str) -> Any:
    """What a vector is made of: the mean, or [CLS], or the last token where a text has no [CLS]."""
    plain = OBJECTIVES[model.run.objective].frame == "plain"
    return say(f"finetune.embedding.{'last' if pooled == 'cls' and plain else pooled}")


def layer_title(layer: int) -> Any:
    """A layer: the embedding, or a block by its number."""
    return say("finetune.senses.block", n=layer) if layer else say("finetune.embedding.layer")


def command(drawn: Drawn) -> str:
    """The command that measures the same in the terminal."""
    return evaluation(drawn.run, drawn.corpus, json.loads(drawn.settings), "--by-embedding")
