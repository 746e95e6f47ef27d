"""The columns of a visitor's table, as a page calls them: one without a name has a number, in the page's language."""

from collections.abc import Sequence

from lab.corpora.files.table import unnamed
from lab.ui.words import in_language, language_now, say


def called(name: str) -> str:
    """What a page calls a column."""
    number = unnamed(name)
    return in_language(say("components.column", n=number), language_now()) if number else name


def named(columns: Sequence[str]) -> list[tuple[str, str]]:
    """What a page calls each column, beside its name in the file: choices of a control."""
    return [(called(name), name) for name in columns]
