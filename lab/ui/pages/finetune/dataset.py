"""The visitor's own labelled data set on the Fine-tune page: its columns, its classes, and examples to test on."""

from pathlib import Path
from typing import Any

import gradio as gr

from lab.catalog import TASKS
from lab.entries import TaskEntry
from lab.serve.labelled_uploads import columns, examined
from lab.serve.uploads import keep_table
from lab.settings import SettingsError
from lab.ui.runs.columns import called, named
from lab.ui.runs.labelled_texts import parts
from lab.ui.runs.plan import OWN
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, percent
from lab.ui.shell.forms import kept_label
from lab.ui.shell.panel import named_in
from lab.ui.words import complaint, pair, say

PARTS = ("text", "pair", "choices", "label")
NAMED = 12  # classes
UNEVEN = 3  # times as many texts of the commonest class as of the rarest: accuracy alone would flatter


def take_file(path: str | None, task: str = "classify") -> Values:
    """Keep an uploaded table and propose its columns; what is wrong with it is said until there is another one."""
    gone = {"text": "", "file_name": "", **{f"{part}_column": gr.update(choices=[], value=None) for part in PARTS}}
    if not path:
        return {**gone, "facts": []}
    name = Path(path).name[:80]
    try:
        mark = keep_table(path, name)["mark"]
    except SettingsError as error:
        return {**gone, "facts": [["problem", complaint(error)]]}
    return {"text": mark, "file_name": name, **offer(mark, "{}", task)}


def offer(mark: str, query: str = "{}", task: str = "classify") -> Values:
    """The columns of a kept table, and which probably hold what the task needs; the address may name others. Those of
    which the task has no need are out of sight."""
    wanted = TASKS[task]
    shown = {part: part in parts(wanted) for part in PARTS}
    if not mark:
        return {f"{part}_column": gr.update(visible=shown[part]) for part in PARTS}
    table, asked = columns(mark), named_in(query)
    chosen = _likely(table, wanted)
    chosen |= {part: name for part in PARTS if (name := asked.get(f"{part}_column"))}
    return {
        f"{part}_column": gr.update(
            choices=named(table["columns"]), value=chosen.get(part) or None, visible=shown[part]
        )
        for part in PARTS
    }


def _likely(table: dict[str, Any], task: TaskEntry) -> dict[str, str]:
    """The column that probably holds each part: one with a usual name, else one of the others that looks so."""
    tagged = "tags" in task.holds
    needed = dict(zip(parts(task), task.holds, strict=True))
    usual = {part: [name for name in task.columns[field] if name in table["columns"]] for part, field in needed.items()}
    looks = {"text": [table["text"], *table["columns"]], "label": [table["tags" if tagged else "label"]]}
    chosen = {part: names[0] for part, names in usual.items() if names}
    # Tags are known by their looks; else the text, which is the longest, goes before the label.
    for part in sorted(needed.keys() - chosen, reverse=not tagged):
        free = [name for name in looks.get(part, []) if name and name not in chosen.values()]
        chosen[part] = free[0] if free else ""
    return chosen


def own_file(data: str) -> Values:
    """What belongs to a file of one's own is shown where one is wanted."""
    return {"mine": gr.update(visible=data == OWN)}


def take_test(path: str | None) -> Values:
    """Keep an uploaded table to test on; what is wrong with it is said until there is another one."""
    none: Values = {"test": "", "test_name": "", "test_fault": []}
    if not path:
        return none
    name = Path(path).name[:80]
    try:
        return none | {"test": keep_table(path, name)["mark"], "test_name": name}
    except SettingsError as error:
        return none | {"test_fault": [["problem", complaint(error)]]}


def boxes(mark: str, name: str, test: str, test_name: str) -> Values:
    """After a reload the boxes for files are empty, and yet what lay in them is used: each says which file that is."""
    names = {"file": name if mark else "", "test_file": test_name if test else ""}
    return {box: kept_label(name) for box, name in names.items() if name}


def look_at(mark: str, task: str, skip: bool, test: str, *chosen: str | None) -> Values:
    """What the ``chosen`` columns, those of ``PARTS``, hold: how many examples, of which classes, whether some are
    rare, how many rows lack something, and how many there are to test on."""
    wanted = {part: column for part, column in zip(PARTS, chosen, strict=True) if part in parts(TASKS[task])}
    if not mark:
        return {}  # what was wrong with the file is still said
    if not all(wanted.values()) or len({*wanted.values()}) < len(wanted):
        return {"facts": []}
    try:
        table = examined(mark, task, {f"{part}_column": str(name) for part, name in wanted.items()}, skip is True, test)
    except SettingsError as error:  # it stays until the file is another one
        return {"facts": [["problem", complaint(error)]]}
    named = ", ".join(f"{name[:40]} ({grouped(times)})" for name, times in table["classes"][:NAMED])
    named += ", …" * (len(table["classes"]) > NAMED)
    counted = {"texts": grouped(table["texts"]), "n": len(table["classes"]), "classes": named}
    kind = "tags" if table["tagged"] else "facts"
    facts = [say(f"finetune.own.{kind}", **counted) if named else say("finetune.own.examples", n=counted["texts"])]
    if table["left_out"]:
        why = (mark.join(said) for mark, said in zip(("; ", "；"), zip(*table["faults"], strict=True), strict=True))
        facts.append(say("finetune.own.left_out", n=grouped(table["left_out"]), why=pair(*why)))
    if test:
        facts.append(say("finetune.own.tested", n=grouped(table["tested"])))
    first = "\n".join(" | ".join(row) for row in [[called(str(name)) for name in wanted.values()], *table["rows"]])
    return {"facts": [*(["note", fact] for fact in [*facts, *_uneven(table)]), ["code", first]]}


def _uneven(table: dict[str, Any]) -> list[Any]:
    """That one class is much more common than another, if it is."""
    times = [counted[1] for counted in table["classes"]]
    if not times or table["tagged"] or max(times) < UNEVEN * min(times):
        return []
    most = max(table["classes"], key=lambda counted: counted[1])
    share = percent(most[1] / max(table["texts"], 1))
    return [say("finetune.own.uneven", name=str(most[0])[:40], share=share)]
