"""Two texts as one row, and how much they have in common to somebody who only compares words."""

from typing import Any

from lab.examples import Unit
from lab.tasks.metrics.rouge import tokens
from lab.tasks.parts.reader import Reader, framed, shortened, shown


def pair_unit(text: str, pair: str, reader: Reader, **about: Any) -> Unit:
    """Both texts in one row, the longer one cut where they do not fit; ``about`` is what is asked about them."""
    both = shortened(reader.ids(text), reader.ids(pair), reader.context - 3)
    return shown(framed(both[0], reader, both[1]), reader, **about)


def overlap(text: str, pair: str) -> float:
    """The share of words that two texts have in common (Jaccard's index)."""
    one, other = {*tokens(text)}, {*tokens(pair)}
    return len(one & other) / max(len(one | other), 1)
