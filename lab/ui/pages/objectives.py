"""Objectives: what all of them make of a text, and one of them open: its settings, who may look at whom, its rates."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import gradio as gr
import numpy as np
from torch import Tensor

from lab.batch import collate
from lab.catalog import OBJECTIVES
from lab.engine.data import sentences_of
from lab.engine.exercise import Corrupted, corrupt
from lab.engine.rates import Rate, rates
from lab.registry import Entry
from lab.ui.board import board
from lab.ui.components.bars import Bars
from lab.ui.components.board import Board
from lab.ui.components.knobs import Knobs, knobs_value
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.sight_table import SightTable
from lab.ui.components.token_strip import TokenStrip, row
from lab.ui.desks.place import place
from lab.ui.draw import exercise_rows, pair_rows, source_row
from lab.ui.frame import Frame
from lab.ui.inputs import head, seed_of
from lab.ui.panel import any_of
from lab.ui.shipped import tokenizer
from lab.ui.sight import sight
from lab.ui.words import WORDS, pair, say, word
from lab.vocab import Tokenizer

NAME = "objectives"
LONGEST = 64  # tokens in an exercise, special ones included
BOARD = 202  # the same on the board
NUMBERS = 48  # of a tensor that are shown
EPOCHS = 4
ROLLS = 1000
Values = Mapping[str, Any]  # an objective's settings


# ---- what a visitor asks for


def laid(text: str, seed: float, name: str) -> dict[str, Any]:
    """What every objective makes of the text; ``name`` is the one that is open."""
    return board(head(text), seed_of(seed), BOARD) | {"chosen": name}


def view(text: str, name: str, seed: float, values: Values) -> list[Any]:
    """The exercise, who may look at whom with a line about it, the epochs, the tensors, and the command that does the
    same."""
    text, objective, seed = head(text), OBJECTIVES[str(name)], seed_of(seed)
    settings = objective.settings.load(values).dump()
    line = command(text, objective, seed, settings)
    if not text.strip():
        nothing = {"rows": [], "empty": say("objectives.empty")}
        return [nothing, {"tokens": [], "see": ""}, [], nothing, [], line]
    known = tokenizer(objective)
    found = corrupt(text, objective, known, settings, seed=seed, longest=LONGEST)
    table, about = sight(found, "exercise")
    looks = [["note", say(f"objectives.sight.{about}")]]
    passes = epochs(text, objective, seed, settings)
    return [exercise(found, objective, text, known), table, looks, passes, tensors(found), line]


def count(text: str, name: str, seed: float, values: Values) -> list[Any]:
    """How often each thing happened in 1,000 rolls, beside what the settings promise, and a line about it."""
    text, objective = head(text), OBJECTIVES[str(name)]
    objective.settings.load(values)
    if not text.strip():
        return [{"bars": [], "empty": say("objectives.empty")}, []]
    found = rates(text, objective, tokenizer(objective), dict(values), seed=seed_of(seed), rolls=ROLLS, longest=LONGEST)
    notes = [["note", say("objectives.rates.note")]] if found else []
    return [{"bars": bars(found, objective), "max": 1, "empty": say("objectives.rates.none")}, notes + _few(found)]


def panels(name: str) -> list[Any]:
    """Settings are shown where there are some, and the epochs where they matter."""
    knobs = OBJECTIVES[str(name)].settings.knobs()
    return [gr.update(visible=bool(knobs)), gr.update(visible="dynamic" in knobs)]


def opened(name: str) -> list[Any]:
    """What the objective is called, what it does, and in which paper."""
    objective = OBJECTIVES[str(name)]
    titles = pair(objective.title, objective.title_zh), pair(objective.summary, objective.summary_zh)
    return [["h2", titles[0]], ["p", titles[1]], ["note", objective.paper]]


def differences(name: str) -> list[Any]:
    """Where paper and code differ, as far as it is known."""
    key = f"objectives.note.{OBJECTIVES[str(name)].name}"
    return [["h3", say("objectives.differ")], ["p", say(key)]] if key in WORDS else []


# ---- what is shown


def exercise(found: Corrupted, objective: Entry, text: str, known: Tokenizer) -> dict[str, Any]:
    """The one exercise that the seed gives."""
    cut = len(known.encode(text)) > LONGEST - 2
    more = [say("objectives.cut", n=LONGEST)] if cut else []
    if found.pair is not None:
        answer = pair(*objective.extra["answers"][found.pair])
        key = f"objectives.alone.{objective.name}"
        alone = [say(key)] if _sentences(text) < 2 and key in WORDS else []
        note = [say("objectives.answer", answer=answer), *alone, *more]
        return {"rows": pair_rows(found, known), "aligned": False, "note": note}
    asked, n = int(found.exercise.asked.sum()), int((~known.vocabulary.is_special(found.original)).sum())
    key = "objectives.count" if found.exercise.source is None else "objectives.count.source"
    note = [
        say(key, asked=asked, n=n, source=0 if found.exercise.source is None else found.exercise.source.shape[1]),
        *more,
    ]
    return {**exercise_rows(found), "group": "exercise", "note": note}


def epochs(text: str, objective: Entry, seed: int, settings: Values) -> dict[str, Any]:
    """What is shown in one epoch after another, with masks drawn once and with masks drawn anew."""
    if "dynamic" not in settings:
        return {"rows": []}
    known = tokenizer(objective)
    rows, ever, plain = [], {}, True
    for moving, key in ((False, "static"), (True, "dynamic")):
        runs = [
            corrupt(text, objective, known, {**settings, "dynamic": moving}, seed=seed, epoch=epoch, longest=LONGEST)
            for epoch in range(EPOCHS)
        ]
        plain = all(run.exercise.source is None for run in runs)
        plain &= all(run.exercise.asked.shape[1] == len(run.original) for run in runs)  # the text is not taken apart
        ever[key] = int(np.any([run.exercise.asked[0] for run in runs], axis=0).sum()) if plain else 0
        for epoch, run in enumerate(runs):
            label, pieces = say(f"objectives.epoch.{key}", n=epoch + 1), run.tokenizer.pieces(run.exercise.shown[0])
            read = run.exercise.source is not None
            rows.append(source_row(run, label) if read else row(label, pieces, run.kinds(known.vocabulary)))
    if not plain:
        which = "objectives.epochs.apart" if runs[0].exercise.source is None else "objectives.epochs.source"
        return {"rows": rows, "aligned": False, "note": say(which)}
    n = int((~known.vocabulary.is_special(runs[0].original)).sum())
    note = say("objectives.epochs.note", epochs=EPOCHS, fixed=ever["static"], moving=ever["dynamic"], n=n)
    return {"rows": rows, "group": "exercise", "note": note}


def tensors(found: Corrupted) -> list[Any]:
    """What the model receives: each tensor with its type, its shape and its first numbers."""
    batch = collate(found.exercise)
    said = []
    for field in fields(batch):
        value = getattr(batch, field.name)
        if isinstance(value, Tensor):
            kind, shape = str(value.dtype).removeprefix("torch."), ", ".join(map(str, value.shape))
            numbers = " ".join(str(int(number)) for number in value.flatten()[:NUMBERS])
            more = " …" if value.numel() > NUMBERS else ""
            said.append(f"{field.name:12} {kind} ({shape})  {numbers}{more}")
        elif isinstance(value, str):
            said.append(f"{field.name:12} {value!r}")
    return [["p", say("objectives.tensors.note")], ["code", "\n".join(said)]]


def bars(found: Sequence[Rate], objective: Entry) -> list[dict[str, Any]]:
    """Each rate with its promise and the band in which chance leaves it."""
    return [
        {
            "name": _what(rate, objective),
            "token": False,
            "value": rate.observed,
            "expected": rate.expected,
            "band": [max(0.0, rate.expected - 2 * rate.spread), min(1.0, rate.expected + 2 * rate.spread)],
            "kind": rate.what if rate.what in ("masked", "replaced", "kept") else "original",
            "said": say(
                "objectives.rates.said",
                observed=f"{100 * rate.observed:.2f}",
                expected=f"{100 * rate.expected:.2f}",
                band=f"{200 * rate.spread:.2f}",
            ),
        }
        for rate in found
    ]


def command(text: str, objective: Entry, seed: int, settings: Values) -> dict[str, str]:
    """The terminal's way to the same exercise."""
    plain = objective.settings().dump()
    flags = [f"--{key} {value}" for key, value in settings.items() if value != plain[key] and key != "dynamic"]
    if settings.get("dynamic", True) != plain.get("dynamic", True):
        flags.append("--no-dynamic")
    said = shlex.quote(text[:200])
    return {
        "command": " ".join(
            [f"python -m lab corrupt --objective {objective.name} --seed {seed}", *flags, f"--text {said}"]
        )
    }


# ---- checks and helpers


def _sentences(text: str) -> int:
    return sum(bool(sentence.strip()) for sentence in sentences_of(text))


def _what(rate: Rate, objective: Entry) -> Any:
    return (
        pair(*objective.extra["answers"][int(rate.what)])
        if rate.what.isdigit()
        else say(f"objectives.rate.{rate.what}")
    )


def _few(found: Sequence[Rate]) -> list[Any]:
    """Where a text is so short that its rate cannot be the nominal one."""
    return [
        ["note", say("objectives.rates.few", nominal=f"{100 * rate.nominal:g}", expected=f"{100 * rate.expected:.1f}")]
        for rate in found
        if rate.what == "asked" and abs(rate.expected - rate.nominal) > 0.002
    ]


# ---- the page


def build(frame: Frame) -> None:
    """The text and the choices above; the exercise, who looks at whom and the counts below."""
    frame.heading("objectives.title", "objectives.lead")
    text = gr.Textbox(
        label=word("objectives.text"),
        placeholder=word("objectives.placeholder"),
        lines=2,
        max_lines=8,
        elem_id="objectives-text",
    )
    frame.begins(text, **WORDS["objectives.default"])
    with gr.Row(elem_classes=["lab-examples"], equal_height=True):
        back = gr.Button(word("objectives.back"), size="sm", elem_id="objectives-back")
        roll = gr.Button(word("objectives.roll"), size="sm", elem_id="objectives-roll")
        seed = gr.Number(0, precision=0, minimum=0, label=word("objectives.seed"), elem_id="objectives-seed")
    rows = Board(label=word("board.title"), elem_id="objectives-board")
    frame.begins(rows, **{language: laid(said, 0, "mlm") for language, said in WORDS["objectives.default"].items()})
    name = Memo("mlm", pattern=r"[a-z][a-z0-9_]{0,40}")
    title = Prose(opened("mlm"), elem_id="objectives-opened")
    with gr.Accordion(word("objectives.settings"), open=False) as folded:
        knobs = Knobs(knobs_value("mlm"), entries=OBJECTIVES, elem_id="objectives-knobs")
    strip = TokenStrip(label=word("objectives.exercise"), elem_id="objectives-exercise")
    with gr.Column() as often:
        passes = TokenStrip(label=word("objectives.epochs"), elem_id="objectives-epochs")
    with gr.Row():
        with gr.Column(min_width=320):
            table = SightTable(label=word("objectives.sight"), elem_id="objectives-sight")
            looks = Prose()
        with gr.Column(min_width=320):
            counts = Bars(label=word("objectives.rates"), elem_id="objectives-rates")
            about = Prose()
            notes = Prose(differences("mlm"), elem_id="objectives-notes")
    with gr.Accordion(word("objectives.tensors"), open=False):
        received = Prose([], elem_id="objectives-tensors")
    place(frame, text, name)
    line = frame.command()
    _wire_board(frame, text, seed, (back, roll), rows, name)
    shown = [strip, table, looks, passes, received, line]
    _wire(frame, (text, name, seed, knobs), shown, [counts, about], [folded, often, title, notes])


def _wire_board(frame: Frame, text: Any, seed: Any, dice: tuple[Any, Any], rows: Any, name: Any) -> None:
    for key, component in {"text": text, "objective": name, "seed": seed}.items():
        frame.share(key, component)
    for button, by in zip(dice, (-1, 1), strict=True):
        js = f"(seed) => Math.max(0, (Number(seed) || 0) + {by})"
        button.click(None, seed, seed, js=js, api_visibility="private")
    inputs = [text, seed, name]
    frame.listen(any_of([text.change, seed.change]), laid, inputs, rows)
    frame.opens(laid, inputs, rows)
    picked = "() => { window.lab.show('#objectives-opened'); return window.lab.fired.name; }"
    rows.pick(None, None, name, js=picked, api_visibility="private")


def _wire(
    frame: Frame, asked: tuple[Any, Any, Any, Any], shown: list[Any], counted: list[Any], changing: list[Any]
) -> None:
    text, name, seed, knobs = asked

    def viewed(text: str, name: str, seed: float, knobs: Values) -> list[Any]:
        return view(text, name, seed, own(knobs, name))

    def counting(text: str, name: str, seed: float, knobs: Values) -> list[Any]:
        return count(text, name, seed, own(knobs, name))

    def about(name: str) -> list[Any]:
        return [*panels(name), opened(name), differences(name)]

    frame.share("settings", knobs)
    # another objective brings other knobs, and they tell that something changed
    other = "(of, knobs) => (JSON.parse(knobs).of === of ? knobs : JSON.stringify({ of, values: {} }))"
    name.change(None, [name, knobs], knobs, js=other, api_visibility="private")
    inputs = [text, name, seed, knobs]
    for handler, outputs in ((viewed, shown), (counting, counted)):
        frame.listen(any_of([text.change, seed.change, knobs.change]), handler, inputs, outputs)
        frame.opens(handler, inputs, outputs)
    frame.listen(name.change, about, name, changing)
    frame.opens(about, name, changing)


def own(knobs: Values, name: str) -> Values:
    """The settings that the knobs stand for, where they are those of the chosen objective."""
    values: Values = knobs["values"] if knobs["of"] == name else {}
    return values
