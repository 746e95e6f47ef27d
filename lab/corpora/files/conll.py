"""CoNLL: a word a line, its columns with blanks between, the last of which is its tag; an empty line ends a text.

So are the data of the shared task on named entities (Tjong Kim Sang and De Meulder 2003) and most that follow it.
"""

import re
from collections.abc import Iterator
from itertools import islice

from lab.corpora.files.faults import at_line

NAMES = ["tokens", "tags"]
LOOKED_AT = 500  # lines that must all hold a tag
TAG = re.compile(r"O|[BIESMLU]-\S+")


def is_conll(content: str) -> bool:
    """Whether every line has as many columns, two at least, and the last is a tag, not always that of no entity."""
    lines = [parts for line in islice(content.split("\n"), LOOKED_AT) if (parts := _columns(line))]
    alike = len({len(parts) for parts in lines}) == 1 and len(lines[0]) > 1
    return alike and all(TAG.fullmatch(parts[-1]) for parts in lines) and any(parts[-1] != "O" for parts in lines)


def conll(content: str) -> Iterator[tuple[int, dict[str, list[str]]]]:
    """The line in which each text begins, its words and the tag of each. Raises SettingsError where a word has none."""
    words, tags, first = list[str](), list[str](), 0
    for number, line in enumerate([*content.split("\n"), ""], start=1):
        parts = _columns(line)
        if len(parts) == 1:
            raise at_line(number, "has a word without a tag", "的词没有标记")
        if parts:
            first = first if words else number
            words.append(parts[0])
            tags.append(parts[-1])
        elif words and not line.strip():
            yield first, dict(zip(NAMES, (words, tags), strict=True))
            words, tags = [], []


def _columns(line: str) -> list[str]:
    """The columns of a line; none of an empty one, a comment, or the mark that begins a document."""
    parts = line.split()
    comment = line.startswith("#") and not TAG.fullmatch(parts[-1])  # a tweet may begin with the word #
    return [] if comment or line.startswith("-DOCSTART-") else parts
