"""What the Models page answers: a family's card, its published sizes, and its recipe beside another one."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from lab.analysis.count import Published, count, count_published, kept_counts, published, published_names
from lab.analysis.recipe import recipe, remarks, side_by_side
from lab.catalog import MODELS, OBJECTIVES, TOKENIZERS
from lab.entries import ModelEntry
from lab.ui.shell.answers import Values
from lab.ui.shell.papers import cited
from lab.ui.words import ASSETS, pair, say, titled

# The ways of reading, from the top of the tree down.
WAYS = {
    way: say(f"models.way.{way}")
    for way in ("static", "recurrent", "encoder", "encoder-decoder", "prefix-decoder", "decoder")
}
NEAREST = "nearest"  # the choice of what stands beside a family that follows from the tree

# Families from which others descend and whose recipe the lab has not: where they stand in the tree.
ANCESTORS: dict[str, dict[str, Any]] = {
    "transformer": {
        "title": pair("Transformer", "Transformer"),
        "year": 2017,
        "parent": None,
        "way": "encoder-decoder",
    },
    "rnn": {"title": pair("Elman's RNN", "Elman 循环网络"), "year": 1990, "parent": None, "way": "recurrent"},
}


def families() -> list[dict[str, Any]]:
    """The families as the tree wants them, and the ancestors that are only named."""
    ours = [
        {
            "name": entry.name,
            "title": called(entry),
            "year": entry.year,
            "parent": entry.parent,
            "way": entry.paradigm,
        }
        for entry in MODELS
    ]
    return [{"name": name, "only": True, **facts} for name, facts in ANCESTORS.items()] + ours


def called(entry: ModelEntry) -> dict[str, str]:
    """What a family is called beside others, where it matters which of its models came when: GPT-2 behind GPT-1."""
    return pair(entry.first or entry.title, entry.first or entry.title_zh)


def other_than(name: str) -> str:
    """Beside which family one stands at first: the one that it changed, else the first that changed it, else the first
    other one."""
    parent = MODELS[name].parent if name in MODELS else None
    if parent is not None and parent in MODELS:
        return parent
    others = sorted((entry for entry in MODELS if entry.name != name), key=lambda entry: entry.parent != name)
    return others[0].name


def card(name: str, other: str) -> Values:
    """The card, the published sizes, both recipes and the command that trains such a model. ``other`` is the family
    beside it, or NEAREST; as is whoever would stand beside itself."""
    entry = MODELS[name]
    other = other if other in MODELS and other != name else NEAREST
    beside = MODELS[other_than(name) if other == NEAREST else other]
    return {
        "other": other,
        "description": described(entry),
        "sizes": sizes(name),
        "recipes": recipes(beside, entry),
        "command": {"command": command(entry)},
    }


def described(entry: ModelEntry) -> list[Any]:
    """A family in a few lines: its paper, what it learns and reads with, and what its file says of itself."""
    module = entry.build.__module__.rpartition(".")[2]
    learns = [OBJECTIVES[name] for name in (entry.objective, entry.pair) if name]
    papers = [objective for objective in OBJECTIVES if entry.title in objective.learnt_by and objective not in learns]
    of_text = bool(entry.reads)  # else its paper learns from pictures or speech, and what it learns here is the lab's
    facts = [
        *[say("models.learns" if of_text else "models.learns.here", what=titled(objective)) for objective in learns],
        *[say("models.learns.paper", what=titled(objective)) for objective in papers],
    ]
    if of_text:
        facts.append(say("models.reads", what=_either([titled(TOKENIZERS[kind]) for kind in entry.reads])))
    if entry.tokenizer not in entry.reads:
        facts.append(say("models.reads.here", what=titled(TOKENIZERS[entry.tokenizer])))
    if entry.parent:
        parent = ANCESTORS[entry.parent]["title"] if entry.parent in ANCESTORS else called(MODELS[entry.parent])
        facts.append(say("models.from", what=parent))
    english = remarks(entry).split("\n")  # stands there twice for a model that has just been added
    file = zip(english, remarks_zh().get(module, english), strict=True)
    return [
        ["h2", called(entry)],
        ["p", pair(entry.summary, entry.summary_zh)],
        ["cite", [[f"{entry.year}: ", ""], *cited(entry.paper)]],
        ["ul", facts],
        ["h3", say("models.file", name=f"lab/models/{module}.py")],
        *(["note", pair(paragraph, paragraph_zh)] for paragraph, paragraph_zh in file),
    ]


@cache
def remarks_zh() -> dict[str, list[str]]:
    """What each file in ``lab/models`` says of itself, paragraph by paragraph, in Chinese."""
    told: dict[str, list[str]] = json.loads((ASSETS / "remarks.json").read_text(encoding="utf-8"))
    return told


def _either(names: Sequence[dict[str, str]]) -> dict[str, Any]:
    return names[0] if len(names) == 1 else say("models.reads.or", one=names[0], other=names[1])


@cache
def sizes(name: str) -> dict[str, Any]:
    """The family's published models: what is stated of them and what the recipe has; and why that is more than their
    files hold, where they are published without what only training needs."""
    models = [model for model in map(published, published_names()) if model.model == name]
    rows = [[model.name, pair(model.headline, model.headline_zh or model.headline), _whole(model)] for model in models]
    columns = [say("models.column.name"), say("models.column.headline"), say("models.column.count")]
    told = {"columns": columns, "rows": rows, "empty": say("models.unpublished")}
    headless = next((model for model in models if model.headless), None)
    return {**told, "note": _left_out(headless)} if headless else told


def _whole(model: Published) -> int:
    """Its parameters with all heads: as they were counted when the tables were written, since to build a model takes
    seconds. A model published without its heads was counted without them."""
    kept = None if model.headless else kept_counts(model.name)
    params = (kept or count(model.model, model.shape, model.vocabulary))["params"]
    return params.get("published_untied", params["with_pretraining_heads"])


def _left_out(model: Published) -> dict[str, Any]:
    """What training needs and the published file leaves out, by the numbers of one model."""
    counts = {"kept": count_published(model.name)["params"]["bare_model"], "all": _whole(model)}
    numbers = {name: f"{n:,}" for name, n in [*counts.items(), ("vocabulary", model.vocabulary)]}
    return say(f"models.headless.{model.model}", name=model.name, **numbers)


def recipes(left: ModelEntry, right: ModelEntry) -> dict[str, Any]:
    """Two recipes as SideBySide wants them."""
    rows = [[row.left, row.right] for row in side_by_side(recipe(left), recipe(right))]
    return {"left": called(left), "right": called(right), "rows": rows}


def command(entry: ModelEntry) -> str:
    """The command that trains a model of this family."""
    return f"python -m lab pretrain --model {entry.name} --corpus town_en --minutes 1"
