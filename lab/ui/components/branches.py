"""The branches of a text that a model writes: kept under names of the visitor's own, and told how they read."""

import json
from dataclasses import dataclass

from lab.ui.components.drawn import Drawn

MOST, LONGEST, NAMED = 8, 512, 40  # branches, tokens of one, and characters (UTF-16 units) of a name
_IDS = rf"\[(?:\d{{1,7}}(?:,\d{{1,7}}){{0,{LONGEST - 1}}})?\]"
_ONE = rf'\["(?:[^"\\]|\\.){{1,240}}","[0-9a-f]{{8}}",{_IDS},{_IDS}\]'  # \u0000 is six characters of JSON


@dataclass(frozen=True)
class Branch:
    """One way on from a prompt: the ids behind it, and the places of those that the visitor chose."""

    name: str
    of: str  # the tokenizer whose ids they are
    ids: tuple[int, ...]
    picked: tuple[int, ...]


class Branches(Drawn):
    """Value: [[name, tokenizer, [id, ...], [place of a token that was picked, ...]], ...] as JSON, empty for none."""

    script = "branches"
    fires = ("change",)

    def __init__(self, value: str = "", **more: object) -> None:
        super().__init__(value, pattern=rf"(?:\[{_ONE}(?:,{_ONE}){{0,{MOST - 1}}}\])?", **more)


class BranchTexts(Drawn):
    """Value: {"of": tokenizer, "texts": [[[text, bytes: hex], ...] or null, ...]}: how the tokens of each branch read
    by the tokenizer of the run that is chosen; null where they are another's. Invisible."""

    script = "branch_texts"


def branches_of(value: str) -> list[Branch]:
    """What the component sent, whose pattern it fits."""
    return [Branch(name, of, tuple(ids), tuple(picked)) for name, of, ids, picked in json.loads(value or "[]")]
