"""What an uploaded table of labelled texts holds: its columns, and its examples for a task."""

import re
from collections import Counter
from dataclasses import asdict, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

from lab.catalog import TASKS
from lab.corpora.files.conll import TAG
from lab.corpora.files.table import preview
from lab.corpora.labelled import Labelled, examples, held_out
from lab.corpora.text_file import WHOLE
from lab.data.corpus import labelled_split
from lab.data.reading import told_apart
from lab.serve.child import call
from lab.serve.uploads import about_file, kept, text_column
from lab.settings import SettingsError

ROWS, CELL = 3, 80  # rows of a table that are shown, and characters of a cell
FAULTS = 3  # rows that are left out of which is said why
EXAMPLES, FIRST = 100, 200_000  # the first examples, and characters of them, from which one sees how long they are


def columns(mark: str) -> dict[str, Any]:
    """The columns of a kept table with its first rows, and which are probably the text and the label."""
    names: dict[str, Any] = call("lab.serve.labelled_uploads:look_at_columns", str(kept(mark)))
    return names


def look_at_columns(path: str) -> dict[str, Any]:
    """What ``columns`` asks of the child."""
    names, rows = preview(path)
    values, text = {name: [str(row.get(name, "")) for row in rows] for name in names}, text_column(names, rows)
    others = [name for name in reversed(names) if name != text]  # labels come last more often than not
    few = min(others, key=lambda name: (len(set(values[name])) < 2, len(set(values[name]))), default="")
    label = "label" if "label" in others else few
    tags = max(names, key=lambda name: _tagged(values[name]))
    return {"columns": names, "text": text, "label": label, "tags": tags, "rows": rows[:3]}


def _tagged(cells: list[str]) -> float:
    """The share of words that look like tags: O, or a letter and a name, as B-PER."""
    words = re.findall(r"[^\s,\[\]\"']+", " ".join(cells))
    return sum(bool(TAG.fullmatch(word)) for word in words) / max(len(words), 1)


def examined(mark: str, task: str, columns: dict[str, str], skip: bool = False, test: str = "") -> dict[str, Any]:
    """How many examples a kept table holds for a task, what classes they have and how often, how many rows were left
    out, and how many examples the kept table ``test`` has. ``columns`` are settings of the labelled corpus."""
    path, other = str(kept(mark)), str(kept(test)) if test else ""
    try:
        return _examined(path, task, tuple(columns.items()), skip, other)
    except SettingsError as error:
        raise about_file(error, path, "") from None


@lru_cache(maxsize=64)
def _examined(path: str, task: str, columns: tuple[tuple[str, str], ...], skip: bool, test: str) -> dict[str, Any]:
    """A kept file never changes: it is read once, however often the page asks."""
    counted: dict[str, Any] = call("lab.serve.labelled_uploads:count_examples", path, task, dict(columns), skip, test)
    return counted


def count_examples(path: str, task: str, columns: dict[str, str], skip: bool, test: str = "") -> dict[str, Any]:
    """What ``examined`` asks of the child."""
    settings = Labelled.load({**columns, "path": path, "skip_unlabelled": skip, "megabytes": WHOLE})
    read = told_apart(examples(settings, TASKS[task]), TASKS[task])
    times: Counter[int] = Counter()  # of each class: of a text, or of each of its words
    for example in read.examples if read.labels else ():
        times.update(example.tags or ([] if example.label is None else [example.label]))
    counted = [[read.labels[number], times[number]] for number in sorted(times)]
    names = [name for name in columns.values() if name]
    sizes = accumulate(each.characters for each in read.examples[:EXAMPLES])
    facts = {
        "texts": len(read.examples),
        "held": len(labelled_split(read.examples)[1]),  # to be checked on, where there is no file for that
        "rows": [[_short(row.get(name, "")) for name in names] for row in preview(path, rows=ROWS)[1]],
        "classes": counted,
        "tagged": any(example.tags for example in read.examples),
        "left_out": read.left_out,
        "faults": [[fault.en, fault.zh] for fault in read.faults[:FAULTS]],
        "first": [asdict(each) for each, n in zip(read.examples, sizes, strict=False) if n <= FIRST],
    }
    try:
        tested = held_out(replace(settings, test=test), TASKS[task], read.labels) or []
    except SettingsError as error:
        raise SettingsError(f"the test file: {error.en}", f"测试文件：{error.zh}") from None
    return facts | {"tested": len(tested)}


def _short(cell: Any) -> str:
    """A cell as it is shown: one line that is not long."""
    spelt = " ".join(map(str, cell)) if isinstance(cell, list) else str(cell)
    text = " ".join(spelt[: 2 * CELL].split())
    return text if len(text) <= CELL else f"{text[:CELL]}…"
