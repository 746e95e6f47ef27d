"""How a run is trained: as the lab does, or as the model's paper says, and where the two differ."""

from typing import Any

from lab.catalog import MODELS
from lab.published import SAID, Published
from lab.runs.run import Training
from lab.training.presets import as_published, beside, differences, source
from lab.ui.components.knob_words import choice_title, short_name
from lab.ui.shell.answers import Values
from lab.ui.shell.panel import named_in
from lab.ui.shell.papers import named
from lab.ui.words import pair, say, titled

LAB, PAPER = "lab", "published"
KNOBS = (*(Published.__dataclass_fields__.keys() - set(SAID)), "initial_masking")  # what a paper says of training


def choose(model: str, recipe: str) -> Values:
    """The settings of training of the chosen recipe, and what is to be said about it."""
    return {**_settings(model, recipe), "recipe note": note(model, recipe)}


def follow_model(model: str, recipe: str) -> Values:
    """Another model has another paper; what was set by hand stays where the lab's recipe is chosen."""
    return choose(model, recipe) if recipe == PAPER else {"recipe note": note(model, recipe)}


def arrive(model: str, recipe: str, query: str) -> Values:
    """What an address says of the recipe: the settings that it names stand, and where it names none they are the
    paper's if it asks for that."""
    asked = named_in(query)
    alone = recipe == PAPER and not any(f"training.{name}" in asked for name in KNOBS)
    return choose(model, recipe) if alone else {"recipe note": note(model, recipe)}


def note(model: str, recipe: str) -> list[list[Any]]:
    """Where the paper's recipe and the lab's differ, whichever is chosen."""
    if model not in MODELS:
        return []
    entry = MODELS[model]
    changes = differences(entry)
    if not changes:
        return [["note", say("pretrain.recipe.unknown", model=titled(entry))]]
    knobs = Training.knobs()
    lines = [
        say(
            "pretrain.recipe.line",
            name=short_name(knobs[change.name]),
            paper=_shown(change.name, change.paper),
            lab=_shown(change.name, change.lab),
        )
        for change in changes
    ]
    opening = "pretrain.recipe.as_paper" if recipe == PAPER else "pretrain.recipe.as_lab"
    where = say("pretrain.recipe.source", source=named(source(entry)))
    return [
        ["note", say(opening, paper=named(entry.paper))],
        ["ul", lines],
        ["note", pair(*beside(entry))],
        ["note", where],
    ]


def _settings(model: str, recipe: str) -> dict[str, Any]:
    knobs = Training.knobs()
    usual = {name: knobs[name].default for name in KNOBS}
    published = recipe == PAPER and model in MODELS and bool(differences(MODELS[model]))
    return usual | as_published(MODELS[model]) if published else usual


def _shown(name: str, value: Any) -> Any:
    if value is None:
        return say("pretrain.recipe.width")
    return f"{value:.4g}" if isinstance(value, float) else choice_title(name, value)
