"""What heads do: each head's role over several texts, with its score and what uniform attention would give."""

import functools
from typing import Any

from lab.corpora.town_stories import documents
from lab.inference import head_roles
from lab.inference.head_roles import Roles
from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent
from lab.ui.shell.lru import Kept
from lab.ui.words import pair, say, upper

STORIES, SEED = 6, 20_181_011  # stories in each language, drawn with a seed of their own
LONGEST = 240  # characters that are read of a story
ROWS = 400  # heads that are listed at most

_roles = Kept(16)  # by model


def what_heads_do(run: str) -> Values:
    """The table of the roles of a model's heads."""
    if not run:
        return {"roles": {"columns": [], "rows": [], "empty": say("attention.no_runs")}}
    try:
        trained = visitor.trained(run)
        found = _roles.get((run, trained.step), lambda: head_roles.roles(trained, texts()))
    except SettingsError as error:
        return {"roles": {"columns": [], "rows": [], "empty": pair(upper(error.en), upper(error.zh))}}
    return {"roles": table(trained, found)}


@functools.cache
def texts() -> list[str]:
    """Beginnings of stories of the town, in both languages."""
    told = [documents(SEED, number, ("en", "zh")) for number in range(STORIES)]
    return [document.text[:LONGEST] for story in told for document in story]


def table(trained: Trained, found: Roles) -> dict[str, Any]:
    """A row for each head: those with the clearest roles first."""
    rows = []
    for layer, head in ((layer, head) for layer in range(len(found.entropy)) for head in range(found.entropy.shape[1])):
        role = found.label(layer, head)
        score, even = (float(found.share[role][layer, head]), found.uniform[role]) if role else (0.0, 0.0)
        rows.append((score - even, [_name(layer, head), *_role(role, score, even), *_width(found, layer, head)]))
    rows.sort(key=lambda row: -row[0])
    names = ("head", "role", "score", "uniform", "entropy", "distance")
    return {"columns": [say(f"attention.role.{name}") for name in names], "rows": [row for _, row in rows[:ROWS]]}


def _name(layer: int, head: int) -> Any:
    return say("components.head", layer=layer + 1, head=head + 1)


def _role(role: str, score: float, even: float) -> list[Any]:
    return [say(f"attention.role.is.{role or 'none'}"), percent(score) if role else "–", percent(even) if role else "–"]


def _width(found: Roles, layer: int, head: int) -> list[Any]:
    entropy, distance = float(found.entropy[layer, head]), float(found.distance[layer, head])
    return [say("attention.role.of", n=f"{entropy:.2f}", most=f"{found.most:.2f}"), round(distance, 1)]
