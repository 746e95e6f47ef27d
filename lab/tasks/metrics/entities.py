"""Entity F1: precision and recall of whole entities, found in tags as conlleval and seqeval's usual mode find them.

An entity is right where its type, its first and its last word are. An I- without a B- before it begins one, too: where
models forget a B-, this lenient reading is kind to them, and the strict one, which asks for every B-, is not. Tags may
also say where an entity ends (E-) or that it is a single word (S-): BIOES, BMES, BILOU.
"""

from collections.abc import Sequence
from functools import lru_cache

Entity = tuple[str, int, int]  # type, first word, last word
ALIKE = {"M": "I", "L": "E", "U": "S"}  # BMES calls what is inside M; BILOU the last word L and a single one U


def name_entities(labels: Sequence[str]) -> bool:
    """Whether tags with these names say where entities begin; others, such as parts of speech, do not."""
    return any(label.startswith(("B-", "S-", "U-")) for label in labels)


def entities(tags: Sequence[str]) -> list[Entity]:
    """The entities of a row of tags, in order."""
    return [*_entities(tuple(tags))]


@lru_cache(maxsize=4096)  # a bootstrap asks about each row hundreds of times
def _entities(tags: tuple[str, ...]) -> tuple[Entity, ...]:
    spans, begun = list[Entity](), 0
    before, kind_before = "O", ""
    for place, tag in enumerate([*tags, "O"]):
        mark, kind = ALIKE.get(tag[:1], tag[:1]), tag[1:].removeprefix("-")
        if before != "O" and (before in "ES" or mark in "BSO" or kind != kind_before):
            spans.append((kind_before, begun, place - 1))
        if mark in "BS" or (mark in "IE" and (before in "OES" or kind != kind_before)):
            begun = place
        before, kind_before = mark, kind
    return tuple(spans)


def entity_scores(true: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> dict[str, float]:
    """Precision, recall and F1 of the entities of all rows together (micro average)."""
    labelled, named = (
        {(number, *entity) for number, tags in enumerate(rows) for entity in _entities(tuple(tags))}
        for rows in (true, predicted)
    )
    right = len(labelled & named)
    precision, recall = right / max(len(named), 1), right / max(len(labelled), 1)
    return {"entity_f1": 2 * right / max(len(labelled) + len(named), 1), "precision": precision, "recall": recall}
