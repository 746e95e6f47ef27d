"""A head by its name in the address: kind of maps, layer and head, "cross.2.3", counted from 1."""

from typing import NamedTuple

from lab.inference.attention_maps import QUERY
from lab.inference.model import Trained

KINDS = r"(?:encoder|decoder|cross|query)?"
KIND_OF = "(head) => head.split('.').slice(0, -2).join('.')"  # in the browser
PATTERN = r"(?:(?:encoder|decoder|cross|query)\.)?[1-9]\d{0,2}\.[1-9]\d{0,2}"


class Head(NamedTuple):
    """Kind of maps ("" in a single stack), layer and head, counted from 0."""

    kind: str
    layer: int
    number: int


def named(trained: Trained, head: str) -> Head:
    """The head of a name; of two stacks the encoder's, where the name does not say which."""
    *kind, layer, number = head.split(".")
    usual = "" if trained.seq2seq is None else "encoder"
    return Head("".join(kind) or usual, int(layer) - 1, int(number) - 1)


def stack(trained: Trained, kind: str) -> str:
    """The kind of maps that tells of a whole stack, by the kind of a head that is looked at."""
    return content(named(trained, f"{kind}.1.1".lstrip("."))).kind


def content(head: Head) -> Head:
    """The same head of the content stream, where it is one of the query stream's: it has the same weights."""
    return head._replace(kind="") if head.kind == QUERY else head
