"""What heads do: each head's role over several texts, with its score and what uniform attention would give."""

import functools
from itertools import islice
from typing import Any

from lab.corpora.town.story import tell
from lab.corpora.town_stories import documents
from lab.corpora.town_tasks.mentions import Linked, agreement, coreference
from lab.corpora.town_tasks.told import Told, Tongue, told
from lab.inference import head_roles
from lab.inference.head_roles import Roles
from lab.settings import SettingsError
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent
from lab.ui.shell.lru import Kept
from lab.ui.words import complaint, say

STORIES, SEED = 6, 20_181_011  # stories in each language, drawn with a seed of their own
SEARCHED, SENTENCES = 900, 24  # stories that are searched for verbs far from their subjects, and how many are taken
LONGEST = 240  # characters that are read of a story
ROWS = 400  # heads that are listed at most

NONE: dict[str, Any] = {"columns": [], "rows": [], "empty": ""}

_roles = Kept(16)  # by model


def what_heads_do(run: str) -> Values:
    """The table of the roles of a model's heads."""
    if not run:
        return {"roles": {"columns": [], "rows": [], "empty": say("attention.no_runs")}, "best": NONE}
    try:
        trained = visitor.trained(run)
        found = _roles.get((run, trained.step), lambda: head_roles.roles(trained, texts(), linked()))
    except SettingsError as error:
        return {"roles": {"columns": [], "rows": [], "empty": complaint(error)}, "best": NONE}
    return {"roles": table(found), "best": best(found)}


@functools.cache
def texts() -> list[str]:
    """Beginnings of stories of the town, in both languages."""
    pairs = [documents(SEED, number, ("en", "zh")) for number in range(STORIES)]
    return [document.text[:LONGEST] for pair in pairs for document in pair]


@functools.cache
def linked() -> dict[str, list[Linked]]:
    """Texts of the town of which it is known which words belong together."""
    meant = [coreference(told_in(number, language)) for number in range(STORIES) for language in ("en", "zh")]
    agreeing = (each for number in range(SEARCHED) for each in agreement(told_in(number, "en")))
    return {"coreference": meant, "agreement": [*islice(agreeing, SENTENCES)]}


def told_in(number: int, language: Tongue) -> Told:
    """A story of the town with all that is known about it."""
    return told(tell(SEED, number), SEED, number, language)


def best(found: Roles) -> dict[str, Any]:
    """For each role the head that does most of it, whether that is much or not."""
    rows, leads = [], []
    for role, share in found.share.items():
        layer, head = divmod(int(share.argmax()), share.shape[1])
        leads.append(f"{layer + 1}.{head + 1}")
        score = float(share[layer, head])
        rows.append([say(f"attention.role.is.{role}"), _name(layer, head), *_shares(score, found.uniform[role])])
    names = ("role", "head", "score", "uniform")
    return {"columns": [say(f"attention.role.{name}") for name in names], "rows": rows, "leads": [1, leads]}


def _shares(score: float, even: float) -> list[Any]:
    return [percent(score), percent(even)]


def table(found: Roles) -> dict[str, Any]:
    """A row for each head: those with the clearest roles first."""
    rows = []
    for layer, head in ((layer, head) for layer in range(len(found.entropy)) for head in range(found.entropy.shape[1])):
        role = found.label(layer, head)
        score, even = (float(found.share[role][layer, head]), found.uniform[role]) if role else (0.0, 0.0)
        cells = [_name(layer, head), *_role(role, score, even), *_width(found, layer, head)]
        rows.append((score - even, f"{layer + 1}.{head + 1}", cells))
    rows = sorted(rows, key=lambda row: -row[0])[:ROWS]
    names = ("head", "role", "score", "uniform", "entropy", "distance")
    return {
        "columns": [say(f"attention.role.{name}") for name in names],
        "rows": [cells for *_, cells in rows],
        "leads": [0, [name for _, name, _ in rows]],
    }


def _name(layer: int, head: int) -> Any:
    return say("components.head", layer=layer + 1, head=head + 1)


def _role(role: str, score: float, even: float) -> list[Any]:
    return [say(f"attention.role.is.{role or 'none'}"), *(_shares(score, even) if role else ["–", "–"])]


def _width(found: Roles, layer: int, head: int) -> list[Any]:
    entropy, distance = float(found.entropy[layer, head]), float(found.distance[layer, head])
    return [say("attention.role.of", n=f"{entropy:.2f}", most=f"{found.most:.2f}"), round(distance, 1)]
