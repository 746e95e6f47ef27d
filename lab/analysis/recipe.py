"""Model definitions side by side: a family's recipe as it stands in its source file, and what differs.

What is shown is read from the files that compute, so that it cannot drift away from them.
"""

import ast
import difflib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass

from lab.entries import ModelEntry


@dataclass(frozen=True)
class Row:
    """A line of two recipes: one side is None where only the other has such a line."""

    left: str | None
    right: str | None

    @property
    def same(self) -> bool:
        """Whether both recipes have the line."""
        return self.left == self.right


def recipe(entry: ModelEntry) -> tuple[str, ...]:
    """The lines that build a model: its builder's body, without the docstring, comments and one level of indentation.

    A comment explains the line below it to who reads the file; beside another recipe it would stand as a difference
    where there is none.
    """
    source = inspect.getsource(entry.build)
    built = ast.parse(source).body[0]
    assert isinstance(built, ast.FunctionDef)
    first = built.body[1 if ast.get_docstring(built) else 0]
    lines = source.splitlines()[first.lineno - 1 :]
    return tuple(line.removeprefix("    ").rstrip() for line in lines if not line.lstrip().startswith("#"))


def remarks(entry: ModelEntry) -> str:
    """What the recipe's file says of itself: its docstring, one paragraph a line."""
    docstring = inspect.getdoc(inspect.getmodule(entry.build)) or ""
    return "\n".join(" ".join(paragraph.split()) for paragraph in docstring.split("\n\n"))


def side_by_side(left: Sequence[str], right: Sequence[str]) -> list[Row]:
    """Two recipes line by line: lines that both have stand beside each other, the others alone or facing what stands
    in their place."""
    rows: list[Row] = []
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        ours, theirs = list(left[a:b]), list(right[c:d])
        for i in range(max(len(ours), len(theirs))):
            rows.append(Row(ours[i] if i < len(ours) else None, theirs[i] if i < len(theirs) else None))
    return rows
