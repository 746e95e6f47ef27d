"""Attention: who looks at whom in one's own text, how one head works that out, and what changes where it is changed."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.analysis.count import attends
from lab.inference.visibility import MASKS, OWN
from lab.ui.components.attention_map import AttentionMap
from lab.ui.components.bars import Bars
from lab.ui.components.drawn import to_json
from lab.ui.components.head_steps import HeadWalk
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.side_by_side import Table
from lab.ui.components.slider import Slider
from lab.ui.components.token_strip import TokenStrip
from lab.ui.pages.attention import heads
from lab.ui.pages.attention.editing import EDITS, LOCKED, WHERE, edit
from lab.ui.pages.attention.inside import inside
from lab.ui.pages.attention.maps import NAME as ONE_MAP
from lab.ui.pages.attention.maps import blind, look, one
from lab.ui.pages.attention.measured import cost, depth
from lab.ui.pages.attention.roles import STORIES, what_heads_do
from lab.ui.pages.attention.stepping import walk
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell.answers import Values
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import prompt_field
from lab.ui.shell.panel import any_of
from lab.ui.words import say, word
from lab.vocabulary import MASK

NAME, MAPS = "attention", "attention-maps"
SPECIMENS = {
    "english": f"Tom carried a light bag to the {MASK}. He had to wait five hours for the train.",
    "chinese": f"小红带着一个很轻的背包来到{MASK}站。可是，她不得不等了五个小时的火车。",
    "repeated": "the cat saw the dog and the dog saw the cat",
}
OTHER = {  # of as many tokens
    "english": SPECIMENS["english"].replace("bag", "box"),
    "chinese": SPECIMENS["chinese"].replace("背包", "箱子"),
}


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("attention.title", "attention.lead")
    with gr.Row():
        with gr.Column(scale=7):
            text = prompt_field(label=word("attention.text"), info=word("attention.info"), lines=2, max_lines=6)
            frame.begins(text, en=SPECIMENS["english"], zh=SPECIMENS["chinese"])
            with gr.Row(elem_classes=["lab-examples"]):
                for name, specimen in SPECIMENS.items():
                    button = gr.Button(word(f"attention.specimen.{name}"), size="sm")
                    button.click(None, None, [text], js=f"() => {to_json(specimen)}", api_visibility="private")
        with gr.Column(scale=5):
            picker = RunPicker(frame, "attention.run", lambda run: attends(run.model), "bert", blind)
    frame.share("text", text)
    head = frame.share("head", Memo("", pattern=heads.PATTERN))
    strip = TokenStrip(elem_id="attention-strip")
    maps = AttentionMap(elem_id=MAPS)
    remarks = Prose([], elem_id="attention-said")
    knock = _knock_out()
    with gr.Accordion(word("attention.steps"), open=False) as fold:
        Prose([["note", say("attention.steps.note")]])
        mask = frame.share("mask", gr.Radio(_choices("mask", MASKS), value=OWN, label=word("attention.mask")))
        walked = HeadWalk({"empty": say("attention.waiting")}, elem_id="attention-steps")
    frame.fold("steps", fold)
    edited = _edits(frame)
    with gr.Accordion(word("attention.roles"), open=False) as table:
        Prose([["note", say("attention.roles.note", n=2 * STORIES)]])
        done = Table({"columns": [], "rows": [], "empty": say("attention.waiting.roles")}, elem_id="attention-roles")
        Prose([["p", say("attention.roles.best")]])
        best = Table({"columns": [], "rows": [], "empty": say("attention.waiting.roles")}, elem_id="attention-best")
        other = _knock_out()
    frame.fold("roles", table)
    for each in (done, best):
        each.pick(
            None, None, None, js=f"() => window.lab.toHead('{MAPS}', window.lab.fired.name)", api_visibility="private"
        )
    measured = due(table, picker.changes)
    frame.listen(
        measured.change,
        of_model(what_heads_do),
        picker.asked,
        {"roles": done, "best": best},
        trigger_mode="always_last",
    )
    inside(frame, picker, text, head)
    cost(frame, picker, text)
    depth(frame, picker, text)
    with gr.Row(elem_classes=["lab-examples"]):
        further = gr.Button(word("attention.generate"), size="sm")
    line = frame.command()
    sent = [*picker.asked, text, head]
    shown = {"strip": strip, "maps": maps, "remarks": remarks, "head": head, "command": line}
    frame.listen(any_of([text.change, *picker.changes]), of_model(look), sent, shown)
    frame.opens(of_model(look), sent, shown)
    asked = due(fold, [text.change, head.change, mask.change, *picker.changes])
    frame.listen(asked.change, of_model(walk), [*sent, mask], {"walk": walked}, trigger_mode="always_last")
    _wire_edits(frame, picker, text, head, maps, edited)
    for button in (knock, other):
        chosen = [edited[name] for name in ("edit", "where", "factor")]
        script = "() => (window.lab.toFold('edit'), ['scale', 'head', 0])"
        button.click(None, None, chosen, js=script, api_visibility="private")
    picked = "(({ kind, layer, head }) => [...(kind ? [kind] : []), layer + 1, head + 1].join('.'))"
    maps.pick(None, None, [head], js=f"() => {picked}(window.lab.fired)", api_visibility="private")
    fetched = Memo("", pattern=ONE_MAP)
    maps.fetch(None, None, [fetched], js="() => window.lab.attention.wanted", api_visibility="private")
    frame.listen(
        fetched.change, of_model(one), [*picker.asked, text, fetched], {"maps": maps}, trigger_mode="always_last"
    )
    further.click(None, [*picker.asked, text], None, js=frame.goto("generate", "run", "step", "text"))


def _knock_out() -> Any:
    """The way from what a map or a table seems to say to what tests it."""
    with gr.Row(elem_classes=["lab-examples"]):
        return gr.Button(word("attention.knock"), size="sm")


def _edits(frame: Frame) -> dict[str, Any]:
    """The fold in which heads and texts are changed."""
    with gr.Accordion(word("attention.edit"), open=False) as fold:
        Prose([["note", say("attention.edit.note")]])
        with gr.Row():
            what = gr.Radio(
                _choices("what", EDITS), value="scale", label=word("attention.what"), scale=2, min_width=320
            )
            where = gr.Radio(_choices("where", WHERE), value="head", label=word("attention.where"), min_width=250)
        factor = Slider(minimum=0, maximum=2, step=0.1, value=0, label=word("attention.factor"))
        other = prompt_field(label=word("attention.other"), lines=1, max_lines=4, visible=False)
        frame.begins(other, en=OTHER["english"], zh=OTHER["chinese"])
        said = Prose([["note", say("attention.waiting")]], elem_id="attention-edited")
        answers = Bars({"bars": [], "unit": "percent"}, label=word("attention.answers"), elem_id="attention-answers")
        moved = AttentionMap(label=word("attention.difference"), elem_id="attention-moved")
    frame.fold("edit", fold)
    controls = {"edit": what, "where": where, "factor": factor, "other": other}
    for key, control in controls.items():
        frame.share(key, control)
    return {**controls, "fold": fold, "said": said, "answers": answers, "moved": moved}


def _choices(of: str, names: Sequence[str]) -> list[tuple[Any, str]]:
    return [(word(f"attention.{of}.{name}"), name) for name in names]


def _wire_edits(
    frame: Frame, picker: RunPicker, text: Any, head: Memo, maps: AttentionMap, parts: dict[str, Any]
) -> None:
    locked = Memo("", pattern=LOCKED)
    maps.lock(None, None, [locked], js="() => window.lab.attention.held", api_visibility="private")
    controls = [parts[name] for name in ("edit", "where", "factor")] + [locked, parts["other"]]
    asked = due(parts["fold"], [each.change for each in (text, head, *controls)] + picker.changes)
    answered = {name: parts[name] for name in ("said", "answers", "moved")}
    frame.listen(
        asked.change, of_model(edit), [*picker.asked, text, head, *controls], answered, trigger_mode="always_last"
    )
    fields = {name: parts[name] for name in ("where", "factor", "other")}
    frame.listen(parts["edit"].change, needed, parts["edit"], fields)
    frame.opens(needed, parts["edit"], fields)


def needed(what: str) -> Values:
    """Which fields an edit takes."""
    return {
        "where": gr.update(visible=what in ("scale", "edge")),
        "factor": gr.update(visible=what == "scale"),
        "other": gr.update(visible=what == "write"),
    }
