"""Objectives: what all of them make of a text, and one of them open: its settings, who may look at whom, its rates."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.catalog import OBJECTIVES
from lab.ui.components.bars import Bars
from lab.ui.components.board import Board
from lab.ui.components.knobs import Knobs, knobs_value
from lab.ui.components.mask_table import MaskTable
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.token_strip import TokenStrip
from lab.ui.pages.objectives.desks.place import FOLLOWING, STANDING, called, followed, stood
from lab.ui.pages.objectives.handlers import Chosen, count, described, differences, fitting, laid, opened, own, view
from lab.ui.shell.answers import Values
from lab.ui.shell.forms import Number
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import LAST_SEED, prompt_field
from lab.ui.shell.panel import any_of
from lab.ui.words import WORDS, word

NAME = "objectives"


def build(frame: Frame) -> None:
    """The text and the choices above; the exercise, who looks at whom and the counts below."""
    frame.heading("objectives.title", "objectives.lead")
    text = prompt_field(
        label=word("objectives.text"),
        placeholder=word("objectives.placeholder"),
        lines=2,
        max_lines=8,
        elem_id="objectives-text",
    )
    frame.begins(text, **WORDS["objectives.default"])
    with gr.Row(elem_classes=["lab-examples", "lab-dice"]):
        back = gr.Button(word("objectives.back"), size="sm", elem_id="objectives-back")
        roll = gr.Button(word("objectives.roll"), size="sm", elem_id="objectives-roll")
        seed = Number(
            0, precision=0, minimum=0, maximum=LAST_SEED, label=word("objectives.seed"), elem_id="objectives-seed"
        )
    rows = Board(label=word("board.title"), elem_id="objectives-board")
    frame.begins(
        rows, **{language: laid(default, 0, "mlm") for language, default in WORDS["objectives.default"].items()}
    )
    name = Memo("mlm", pattern="|".join(OBJECTIVES.names()))
    title = Prose(opened("mlm"), elem_id="objectives-opened")
    with gr.Accordion(word("objectives.settings"), open=False) as folded:
        knobs = Knobs(knobs_value("mlm"), entries=OBJECTIVES, elem_id="objectives-knobs")
    strip = TokenStrip(label=word("objectives.exercise"), elem_id="objectives-exercise")
    with gr.Accordion(word("objectives.epochs"), open=False, visible=False) as often:
        passes = TokenStrip(elem_id="objectives-epochs")
    with gr.Row():
        with gr.Column(min_width=320):
            table = MaskTable(label=word("objectives.mask"), elem_id="objectives-mask")
            looks = Prose()
        with gr.Column(min_width=320):
            counts = Bars(label=word("objectives.rates"), elem_id="objectives-rates")
            about = Prose()
            notes = Prose(differences("mlm"), elem_id="objectives-notes")
    with gr.Accordion(word("objectives.tensors"), open=False):
        received = Prose([], elem_id="objectives-tensors")
    with gr.Column(elem_id="desks"):
        following = {called(desk): desk.made() for desk in FOLLOWING}
        standing = {called(desk): desk.made(frame, text) for desk in STANDING}
    line = frame.command()
    for key, component in {"text": text, "objective": name, "seed": seed, "settings": knobs}.items():
        frame.share(key, component)
    frame.opens(fitting, [name, knobs], {"settings": knobs})
    _wire_choices(text, seed, (back, roll), rows, name, knobs, (following["assembly"], following["mask_calendar"]))
    shown = {"exercise": strip, "mask": table, "looks": looks, "epochs": passes, "tensors": received, "command": line}
    _wire(frame, (text, name, seed, knobs), rows, (shown, following, {"rates": counts, "about": about}))
    chosen = {"folded": folded, "often": often, "title": title, "notes": notes}
    for handler, inputs, outputs in (
        (described, [name], chosen),
        (stood, [name, frame.language], standing),
    ):
        frame.listen(any_of([name.change]), handler, inputs, outputs)
        frame.opens(handler, inputs, outputs)


def _wire_choices(
    text: Any, seed: Any, dice: tuple[Any, Any], rows: Any, name: Any, knobs: Any, rolling: tuple[Any, Any]
) -> None:
    """What the browser does by itself: the seed, the open objective, and its settings, which desks change, too."""
    for button, by in zip(dice, (-1, 1), strict=True):  # from a seed that is refused to one that is none
        js = f"(seed) => Math.min({LAST_SEED}, Math.max(0, Math.trunc(Number(seed) || 0) + {by}))"
        button.click(None, seed, seed, js=js, api_visibility="private")
    picked = "() => { window.lab.show('#objectives-opened'); return window.lab.fired.name; }"
    rows.pick(None, None, name, js=picked, api_visibility="private")
    # another objective brings other knobs, and they tell that something changed
    other = "(of, knobs) => (JSON.parse(knobs).of === of ? knobs : JSON.stringify({ of, values: {} }))"
    name.change(None, [name, knobs], knobs, js=other, api_visibility="private")
    marked = """(name) => document.querySelector("#objectives-board .lab-board")
      ?.dispatchEvent(new CustomEvent("chosen", { detail: name }))"""
    name.change(None, name, None, js=marked, api_visibility="private")
    film, calendar = rolling
    for desk in (film, calendar):
        desk.roll(None, None, seed, js="() => window.lab.fired.seed", api_visibility="private")
    with_share = "(name, knobs) => window.lab.withShare(name, knobs)"
    film.amount(None, [name, knobs], knobs, js=with_share, api_visibility="private")


def _wire(frame: Frame, asked: tuple[Any, Any, Any, Any], rows: Any, below: Sequence[dict[str, Any]]) -> None:
    """The board first, since the visitor looks at it while typing, and then one after another what lies below it."""
    text, name, seed, knobs = asked

    def viewed(text: str, name: str, seed: float, knobs: Chosen) -> Values:
        return view(text, name, seed, own(knobs, name))

    def desks(text: str, name: str, seed: float, knobs: Chosen) -> Values:
        return followed(text, name, seed, own(knobs, name))

    def counting(text: str, name: str, seed: float, knobs: Chosen) -> Values:
        return count(text, name, seed, own(knobs, name))

    frame.opens(laid, [text, seed, name], rows)
    typed = frame.listen(any_of([text.change, seed.change]), laid, [text, seed, name], rows)
    changed = None
    for handler, outputs in zip((viewed, desks, counting), below, strict=True):
        frame.opens(handler, [*asked], outputs)
        typed = frame.listen(typed.then, handler, [*asked], outputs)
        again = changed.then if changed else any_of([knobs.change])
        changed = frame.listen(again, handler, [*asked], outputs)
