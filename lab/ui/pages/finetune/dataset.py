"""The visitor's own labelled data set on the Fine-tune page: its columns, its classes, and texts to test on."""

import json
from pathlib import Path

import gradio as gr

from lab.corpora.files.table import unnamed
from lab.serve.uploads import classes, columns, keep_file
from lab.ui.runs.plan import OWN
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, percent
from lab.ui.words import in_language, language_now, say

COLUMNS = ("text", "label")
UNEVEN = 3  # times as many texts of the commonest class as of the rarest: accuracy alone would flatter


def take_file(path: str | None) -> Values:
    """Keep an uploaded table and propose its columns."""
    if not path:
        return {
            "text": "",
            "file_name": "",
            "facts": [],
            **{f"{part}_column": gr.update(choices=[], value=None) for part in COLUMNS},
        }
    name = Path(path).name[:80]
    mark = keep_file(path, name)["mark"]
    return {"text": mark, "file_name": name, **offer(mark)}


def offer(mark: str, query: str = "{}") -> Values:
    """The columns of a kept table, and which are probably the text and the label; the address may name others."""
    if not mark:
        return {}
    table, asked = columns(mark), json.loads(query or "{}")
    chosen = {part: asked.get(f"{part}_column", table[part]) for part in COLUMNS}
    named = [(_column(name), name) for name in table["columns"]]
    return {f"{part}_column": gr.update(choices=named, value=chosen[part] or None) for part in COLUMNS}


def _column(name: str) -> str:
    """A column as the page calls it: one that has a number for a name, in the page's language."""
    number = unnamed(name)
    return in_language(say("finetune.column", n=number), language_now()) if number else name


def own_file(data: str) -> Values:
    """What belongs to a file of one's own is shown where one is wanted."""
    return {"mine": gr.update(visible=data == OWN)}


def take_test(path: str | None) -> Values:
    """Keep an uploaded table to test on."""
    name = Path(path).name[:80] if path else ""
    return {"test": keep_file(path, name)["mark"] if path else "", "test_name": name}


def boxes(mark: str, name: str, test: str, test_name: str) -> Values:
    """After a reload the boxes for files are empty, and yet what lay in them is used: each says which file that is."""
    names = {"file": name if mark else "", "test_file": test_name if test else ""}
    return {
        box: gr.update(label=in_language(say("finetune.kept", name=name), language_now()))
        for box, name in names.items()
        if name
    }


def look_at(mark: str, text_column: str | None, label_column: str | None, skip: bool = False, test: str = "") -> Values:
    """What classes the chosen columns hold, how many rows have none, whether some are rare, and how many texts there
    are to test on."""
    if not mark or not text_column or not label_column or text_column == label_column:
        return {"facts": []}
    table = classes(mark, text_column, label_column, skip is True, test)
    named = ", ".join(f"{name[:40]} ({grouped(times)})" for name, times in table["classes"][:12])
    facts = [say("finetune.own.facts", texts=grouped(table["texts"]), n=len(table["classes"]), classes=named)]
    if table["left_out"]:
        facts.append(say("finetune.own.left_out", n=grouped(table["left_out"])))
    if test:
        facts.append(say("finetune.own.tested", n=grouped(table["tested"])))
    times = [counted[1] for counted in table["classes"]]
    if max(times) >= UNEVEN * min(times):
        most = max(table["classes"], key=lambda counted: counted[1])
        share = percent(most[1] / max(table["texts"], 1))
        facts.append(say("finetune.own.uneven", name=str(most[0])[:40], share=share))
    return {"facts": [["note", fact] for fact in facts]}
