"""Diverse beam search on the Generate page: what each group ends with, and the tree of one of them."""

from typing import Any

import gradio as gr

from lab.inference.beam_search import Search, diverse_beam_search
from lab.inference.decoding import continuation
from lab.inference.model import Trained
from lab.serve.limits import limits, within
from lab.spelling import text_of
from lab.ui.components.beam_tree import BeamTree
from lab.ui.components.prose import Prose
from lab.ui.components.side_by_side import Table
from lab.ui.pages.generate import bounded
from lab.ui.pages.generate.beams import LENGTH, PROMPT, end, steps, within_range
from lab.ui.pages.generate.typed import generate_command
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.folds import due
from lab.ui.shell.forms import Slider
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import tail
from lab.ui.words import say, word

GROUPS, BEAMS, DIVERSITY = (2, 4), (1, 4), (0.0, 10.0)  # what the controls go to
COLUMNS = ("group", "text", "score")


def diversifying(frame: Frame, picker: RunPicker, text: Any) -> None:
    """The fold of diverse beam search, worked out only while it is open."""
    with gr.Accordion(word("generate.diverse"), open=False) as fold:
        Prose([["note", say("generate.diverse.lead")]])
        with gr.Row():
            groups = Slider(*GROUPS, value=3, step=1, label=word("generate.diverse.groups"), min_width=220)
            beams = Slider(*BEAMS, value=2, step=1, label=word("generate.diverse.beams"), min_width=220)
            diversity = Slider(*DIVERSITY, value=1.0, step=0.1, label=word("generate.diverse.penalty"), min_width=220)
            length = Slider(*LENGTH, value=8, step=1, label=word("generate.beam.tokens"), min_width=220)
            shown = Slider(1, GROUPS[1], value=2, step=1, label=word("generate.diverse.shown"), min_width=220)
        table = Table(nothing(), elem_id="generate-diverse")
        tree = BeamTree(label=word("generate.diverse.tree"), elem_id="generate-diverse-tree")
        line = frame.command()
    controls = {"groups": groups, "group_beams": beams, "diversity": diversity, "group_tokens": length, "group": shown}
    events = [text.change, *picker.changes, *(control.change for control in controls.values())]
    asked = due(frame.fold("diverse", fold), events)
    inputs = [*picker.asked, text, *(frame.share(name, control) for name, control in controls.items())]
    outputs = {"table": table, "tree": tree, "command": line}
    frame.listen(asked.change, of_model(diverse), inputs, outputs, trigger_mode="always_last")


def nothing() -> dict[str, Any]:
    """A table without rows."""
    columns = [say(f"generate.diverse.column.{name}") for name in COLUMNS]
    return {"columns": columns, "rows": [], "empty": say("generate.no_runs")}


def diverse(run: str, text: str, groups: float, beams: float, diversity: float, length: float, shown: float) -> Values:
    """The texts of all groups, the tree of one, and the command."""
    within(text, limits().prompt)
    trained = visitor.writer(run)
    if trained is None:
        return {"table": nothing(), "tree": {"steps": []}, "command": {"command": ""}}
    groups, beams = int(within_range("groups", groups, GROUPS)), int(within_range("beams", beams, BEAMS))
    diversity, length = within_range("diversity", diversity, DIVERSITY), int(within_range("tokens", length, LENGTH))
    number = min(groups, int(within_range("group", shown, (1, GROUPS[1]))))
    bounded.bearable(trained, groups * beams, len(continuation(trained, text).ids) + length)
    key = ("diverse", run, trained.step, text, beams, groups, diversity, length)
    found: list[Search] = bounded.found.get(
        key, lambda: diverse_beam_search(trained, text, beams, groups, diversity, length, 1.0)
    )
    rows = [row for group, search in enumerate(found, 1) for row in rows_of(trained, group, search)]
    own = found[number - 1]
    ends = [end(trained, own, place) for place in range(len(own.best))]
    note = say("generate.diverse.note", n=number, all=groups)
    tree = {"prompt": tail(text, PROMPT), "steps": steps(trained, own), "ends": ends, "note": note, "penalised": True}
    return {
        "table": nothing() | {"rows": rows},
        "tree": tree,
        "command": {"command": command(run, text, beams, groups, diversity, length)},
    }


def rows_of(trained: Trained, group: int, search: Search) -> list[list[Any]]:
    """The texts that a group ends with."""
    rows = []
    for best in search.best:
        written = [token for token in best.ids if token not in trained.tokenizer.vocabulary.ends]
        name = say("generate.diverse.group", n=group)
        rows.append([name, text_of(trained.tokenizer.pieces(written), unfinished=True), f"{best.logprob:.2f}"])
    return rows


def command(run: str, text: str, beams: int, groups: int, diversity: float, length: int) -> str:
    """The command that searches so."""
    flags = f"--beams {beams} --groups {groups} --diversity {diversity:g} --tokens {length}"
    return generate_command(run, text, flags)
