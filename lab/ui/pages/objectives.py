"""Objectives: what each of them makes of a text, who may look at whom, and whether the dice keep their promise."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr
import numpy as np

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.engine.data import sentences_of
from lab.engine.exercise import Corrupted, corrupt
from lab.engine.rates import Rate, rates
from lab.registry import Entry
from lab.ui.components.bars import Bars
from lab.ui.components.knobs import Knobs, knobs_value
from lab.ui.components.prose import Prose
from lab.ui.components.sight_table import SightTable, sight_value
from lab.ui.components.token_strip import TokenStrip, readable, row
from lab.ui.desks.place import place
from lab.ui.draw import exercise_rows, in_order, pair_rows, source_row
from lab.ui.frame import Frame
from lab.ui.inputs import head, seed_of
from lab.ui.panel import any_of
from lab.ui.shipped import tokenizer
from lab.ui.words import WORDS, both, pair, say, word
from lab.vocab import Tokenizer

NAME = "objectives"
LONGEST = 64  # tokens in an exercise, special ones included
EPOCHS = 4
ROLLS = 1000
Values = Mapping[str, Any]  # an objective's settings


# ---- what a visitor asks for


def view(text: str, name: str, seed: float, values: Values) -> list[Any]:
    """The exercise, who may look at whom with a line about it, the epochs, and the command that does the same."""
    text, objective, seed = head(text), OBJECTIVES[str(name)], seed_of(seed)
    settings = objective.settings.load(values).dump()
    line = command(text, objective, seed, settings)
    if not text.strip():
        nothing = {"rows": [], "empty": say("objectives.empty")}
        return [nothing, {"tokens": [], "see": ""}, [], nothing, line]
    known = tokenizer(objective)
    found = corrupt(text, objective, known, settings, seed=seed, longest=LONGEST)
    table, about = sight(found)
    looks = [["note", say(f"objectives.sight.{about}")]]
    return [exercise(found, objective, text, known), table, looks, epochs(text, objective, seed, settings), line]


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


def differences(name: str) -> list[Any]:
    """Where paper and code differ, as far as it is known."""
    objective = OBJECTIVES[str(name)]
    key = f"objectives.note.{objective.name}"
    title = ["h2", say("objectives.differ")]
    about = [["p", pair(objective.summary, objective.summary_zh)], ["note", objective.paper]]
    return [*about, title, ["p", say(key)]] if key in WORDS else about


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
    note = [say(key, asked=asked, n=n, source=len(_read(found)) - found.exercise.shown.shape[1]), *more]
    return {**exercise_rows(found), "group": "exercise", "note": note}


def sight(found: Corrupted) -> tuple[dict[str, Any], str]:
    """Who may look at whom, and the name of the line about it. Where there is an order, the tokens stand in it: first
    those that all may see, then one after another."""
    pieces, sees = found.tokenizer.pieces(_read(found)), _sees(found)
    if found.exercise.order is None:
        rule = found.exercise.visible if found.exercise.source is None else "source"
        return sight_value([readable(piece) for piece in pieces], sees, "exercise"), (
            rule if isinstance(rule, str) else "table"
        )
    turns = found.exercise.order[0].argsort(kind="stable")
    return sight_value([readable(pieces[place]) for place in turns], sees[turns][:, turns]), "order"


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


def _read(found: Corrupted) -> np.ndarray:
    """All that is read: by an encoder, where there is one, and then what is shown."""
    whole: Exercise = found.exercise
    return whole.shown[0] if whole.source is None else np.concatenate([whole.source[0], whole.shown[0]])


def _sees(found: Corrupted) -> np.ndarray:
    """Who may look at whom in all that is read. Everybody looks at a source, which looks at nothing else."""
    whole: Exercise = found.exercise
    table = whole.table()
    table = table if table.ndim == 2 else table[0]
    if whole.source is None:
        return table
    source = whole.source.shape[1]
    full = np.zeros((source + len(table),) * 2, dtype=bool)
    full[:, :source] = True
    full[source:, source:] = table
    return full


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
    with gr.Row():
        choices = [(both(each.title, each.title_zh), each.name) for each in in_order()]
        with gr.Column(scale=3, min_width=320):
            name = gr.Radio(choices, value="mlm", label=word("objectives.objective"), elem_id="objectives-objective")
        with gr.Column(scale=1, min_width=220):
            seed = gr.Number(
                0, precision=0, minimum=0, label=word("objectives.seed"), info=word("objectives.seed.hint")
            )
            roll = gr.Button(word("objectives.roll"), elem_id="objectives-roll")
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
    place(frame, text, name)
    line = frame.command()
    _wire(
        frame,
        (text, name, seed, roll, knobs),
        [strip, table, looks, passes, line],
        [counts, about],
        [folded, often],
        notes,
    )


def _wire(
    frame: Frame,
    asked: tuple[Any, Any, Any, Any, Any],
    shown: list[Any],
    counted: list[Any],
    changing: list[Any],
    notes: Any,
) -> None:
    text, name, seed, roll, knobs = asked

    def viewed(text: str, name: str, seed: float, knobs: Values) -> list[Any]:
        return view(text, name, seed, own(knobs, name))

    def counting(text: str, name: str, seed: float, knobs: Values) -> list[Any]:
        return count(text, name, seed, own(knobs, name))

    for key, component in {"text": text, "objective": name, "seed": seed, "settings": knobs}.items():
        frame.share(key, component)
    roll.click(None, seed, seed, js="(seed) => (Number(seed) || 0) + 1", api_visibility="private")
    # another objective brings other knobs, and they tell that something changed
    other = "(of, knobs) => (JSON.parse(knobs).of === of ? knobs : JSON.stringify({ of, values: {} }))"
    name.change(None, [name, knobs], knobs, js=other, api_visibility="private")
    inputs = [text, name, seed, knobs]
    for handler, outputs in ((viewed, shown), (counting, counted)):
        frame.listen(any_of([text.change, seed.change, knobs.change]), handler, inputs, outputs)
        frame.opens(handler, inputs, outputs)
    frame.listen(name.change, panels, name, changing)
    frame.listen(name.change, differences, name, notes)
    frame.opens(panels, name, changing)
    frame.opens(differences, name, notes)


def own(knobs: Values, name: str) -> Values:
    """The settings that the knobs stand for, where they are those of the chosen objective."""
    values: Values = knobs["values"] if knobs["of"] == name else {}
    return values
