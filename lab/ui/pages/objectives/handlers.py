"""What the Objectives page answers: the board, and the open objective's exercise, attention mask and rates."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import gradio as gr
import numpy as np
from torch import Tensor

from lab.analysis.preview import Corrupted, corrupt
from lab.analysis.rates import Rate, rates
from lab.batch import collate
from lab.catalog import OBJECTIVES, learners
from lab.data.stream import sentences_of
from lab.entries import ObjectiveEntry
from lab.inference.predict import drawn
from lab.tokenizer import Tokenizer
from lab.training.run_request import flags
from lab.ui.components.knobs import knobs_value
from lab.ui.components.token_strip import row
from lab.ui.exercise.board import board
from lab.ui.exercise.draw import boundary_row, detection_rows, exercise_rows, pair_rows, source_row
from lab.ui.exercise.shipped import FILLS, shipped, tokenizer, tokenizer_name
from lab.ui.exercise.sight import sight
from lab.ui.pages.objectives.desks import mask_calendar
from lab.ui.shell.answers import Values
from lab.ui.shell.inputs import head, whole_seed
from lab.ui.shell.papers import cited
from lab.ui.words import WORDS, pair, say, titled

NAME = "objectives"
LONGEST = 64  # tokens in an exercise, special ones included
BOARD = 202  # the same on the board
NUMBERS = 48  # of a tensor that are shown
EPOCHS = 4
ROLLS = 1000
COMMANDED = 1000  # characters of the text in the command, more than any exercise reads
Chosen = Mapping[str, Any]  # an objective's settings


# ---- what a visitor asks for


def laid(text: str, seed: float, name: str) -> dict[str, Any]:
    """What every objective makes of the text; ``name`` is the one that is open."""
    return board(head(text), whole_seed(seed), BOARD) | {"chosen": name}


def view(text: str, name: str, seed: float, values: Chosen) -> Values:
    """The exercise, who may look at whom with a line about it, the epochs, the tensors, and the command that does the
    same."""
    text, objective, seed = head(text), OBJECTIVES[str(name)], whole_seed(seed)
    settings = objective.settings.load(values).dump()
    line = command(text, objective, seed, settings)
    if not text.strip():
        nothing = {"rows": [], "empty": say("objectives.empty")}
        none: Values = {"exercise": nothing, "mask": {"tokens": [], "see": ""} | nothing, "epochs": nothing}
        return none | {"looks": [], "tensors": [], "command": line}
    its_tokenizer = tokenizer(objective)
    corrupted = corrupt(text, objective, its_tokenizer, settings, seed=seed, longest=LONGEST)
    table, about = sight(corrupted, "exercise")
    pairs = objective.pairs_tokens
    about = objective.name if pairs else about
    title = say("objectives.mask.pairs" if pairs else "objectives.mask")
    return {
        "exercise": exercise(corrupted, objective, text, its_tokenizer, seed),
        "mask": table | {"title": title, "pairs": pairs},
        "looks": [["note", say(f"objectives.mask.{about}")]],
        "epochs": epochs(text, objective, seed, settings),
        "tensors": tensors(corrupted),
        "command": line,
    }


def count(text: str, name: str, seed: float, values: Chosen) -> Values:
    """How often each thing happened in 1,000 rolls, beside what the settings promise, and a line about it. Of an
    objective without a rate its own line says what is drawn, a general one where it has none."""
    text, objective = head(text), OBJECTIVES[str(name)]
    objective.settings.load(values)
    if not text.strip():
        return {"rates": {"bars": [], "empty": say("objectives.empty")}, "about": []}
    counted = rates(
        text, objective, tokenizer(objective), dict(values), seed=whole_seed(seed), rolls=ROLLS, longest=LONGEST
    )
    notes = [["note", say("objectives.rates.note")]] if counted else []
    none = f"objectives.rates.none.{objective.name}"
    drawn = {
        "bars": bars(counted, objective),
        "max": 1,
        "empty": say(none if none in WORDS else "objectives.rates.none"),
    }
    return {"rates": drawn, "about": notes + _other_than_set(counted)}


def described(name: str) -> Values:
    """What changes with the open objective alone. Settings are shown where there are some, and the epochs where they
    matter and no calendar shows them."""
    objective = OBJECTIVES[str(name)]
    folds = {"folded": bool(objective.settings.knobs()), "often": _comes_again(objective)}
    return {
        **{fold: gr.update(visible=visible) for fold, visible in folds.items()},
        "title": opened(name),
        "notes": differences(name),
    }


def opened(name: str) -> list[Any]:
    """What the objective is called, what it does, which models learn it, and in which paper."""
    objective = OBJECTIVES[str(name)]
    titles = titled(objective), pair(objective.summary, objective.summary_zh)
    models = pair(
        *(mark.join(names) for mark, names in zip((", ", "、"), zip(*learners(objective), strict=True), strict=True))
    )
    return [
        ["h2", titles[0]],
        ["p", titles[1]],
        ["p", say("objectives.models", models=models)],
        ["cite", cited(objective.paper)],
    ]


def differences(name: str) -> list[Any]:
    """Where paper and code differ, as far as it is known."""
    key = f"objectives.note.{OBJECTIVES[str(name)].name}"
    return [["h3", say("objectives.differ")], ["p", say(key)]] if key in WORDS else []


# ---- what is shown


def exercise(
    corrupted: Corrupted, objective: ObjectiveEntry, text: str, tokenizer: Tokenizer, seed: int
) -> dict[str, Any]:
    """The one exercise that the seed gives."""
    cut = len(tokenizer.encode(text)) > LONGEST - 2
    more = [say("objectives.cut", n=LONGEST)] if cut else []
    if corrupted.pair is not None:
        answer = pair(*objective.answers[corrupted.pair])
        key = f"objectives.alone.{objective.name}"
        alone = [say(key)] if _sentences(text) < 2 and key in WORDS else []
        note = [say("objectives.answer", answer=answer), *alone, *more]
        return {"rows": pair_rows(corrupted), "aligned": False, "note": note}
    if objective.pairs_tokens:
        read = row(say("objectives.row.shown"), tokenizer.pieces(corrupted.exercise.shown[0]))
        return {"rows": [read], "group": "exercise", "note": [say(f"objectives.count.{objective.name}"), *more]}
    asked, n = int(corrupted.exercise.asked.sum()), int((~tokenizer.vocabulary.is_special(corrupted.original)).sum())
    key = "objectives.count" if corrupted.exercise.source is None else "objectives.count.source"
    note = [
        say(
            key, asked=asked, n=n, source=0 if corrupted.exercise.source is None else corrupted.exercise.source.shape[1]
        ),
        *more,
    ]
    rows = exercise_rows(corrupted)
    if objective.boundary:
        rows["rows"].append(boundary_row(corrupted))
    if "detects" in objective.traits and (generator := shipped(FILLS)):
        rows["rows"] += detection_rows(corrupted, drawn(generator, corrupted.exercise, seed))
    return {**rows, "group": "exercise", "note": note}


def epochs(text: str, objective: ObjectiveEntry, seed: int, settings: Chosen) -> dict[str, Any]:
    """What is shown in one epoch after another, with masks drawn once and with masks drawn anew."""
    if not _comes_again(objective):
        return {"rows": []}
    its_tokenizer = tokenizer(objective)
    rows, ever, plain = [], {}, True
    for moving, key in ((False, "static"), (True, "dynamic")):
        runs = [
            corrupt(
                text, objective, its_tokenizer, {**settings, "dynamic": moving}, seed=seed, epoch=epoch, longest=LONGEST
            )
            for epoch in range(EPOCHS)
        ]
        plain = all(run.exercise.source is None for run in runs)
        plain &= all(run.exercise.asked.shape[1] == len(run.original) for run in runs)  # the text is not taken apart
        ever[key] = int(np.any([run.exercise.asked[0] for run in runs], axis=0).sum()) if plain else 0
        for epoch, run in enumerate(runs):
            label, pieces = say(f"objectives.epoch.{key}", n=epoch + 1), run.tokenizer.pieces(run.exercise.shown[0])
            read, asked = run.exercise.source is not None, ["asked" if here else "" for here in run.exercise.asked[0]]
            kinds = asked if plain and run.exercise.following else run.kinds(its_tokenizer.vocabulary)
            rows.append(source_row(run, label) if read else row(label, pieces, kinds))
    if len({str(strip_row | {"label": ""}) for strip_row in rows}) == 1:  # such as the one gap of a short text for T5
        return {"rows": [rows[0] | {"label": say("objectives.epoch.every")}], "note": say("objectives.epochs.same")}
    if not plain:
        which = "objectives.epochs.apart" if runs[0].exercise.source is None else "objectives.epochs.source"
        return {"rows": rows, "aligned": False, "note": say(which)}
    n = int((~its_tokenizer.vocabulary.is_special(runs[0].original)).sum())
    note = say("objectives.epochs.note", epochs=EPOCHS, fixed=ever["static"], moving=ever["dynamic"], n=n)
    return {"rows": rows, "group": "exercise", "note": note}


def tensors(corrupted: Corrupted) -> list[Any]:
    """What the model receives: each tensor with its type, its shape and its first numbers."""
    pair = corrupted.pair
    batch = collate(corrupted.exercise, label=None if pair is None else np.array([pair]))
    lines = []
    for field in fields(batch):
        value = getattr(batch, field.name)
        if isinstance(value, Tensor):
            kind, shape = str(value.dtype).removeprefix("torch."), ", ".join(map(str, value.shape))
            numbers = " ".join(str(int(number)) for number in value.flatten()[:NUMBERS])
            more = " …" if value.numel() > NUMBERS else ""
            lines.append(f"{field.name:12} {kind} ({shape})  {numbers}{more}")
        elif isinstance(value, str):
            lines.append(f"{field.name:12} {value!r}")
    note = "objectives.tensors.note" if pair is None else "objectives.tensors.pair"
    return [["p", say(note)], ["code", "\n".join(lines)]]


def bars(counted: Sequence[Rate], objective: ObjectiveEntry) -> list[dict[str, Any]]:
    """Each rate with its promise, where there is one, and the band in which chance leaves it."""
    return [
        {
            "name": _what(rate, objective),
            "token": False,
            "value": rate.observed,
            "kind": rate.what if rate.what in ("masked", "replaced", "kept") else "original",
            **_promised(rate),
        }
        for rate in counted
    ]


def _promised(rate: Rate) -> dict[str, Any]:
    said = {"observed": f"{100 * rate.observed:.2f}", "band": f"{200 * rate.spread:.2f}"}
    if rate.expected is None:
        return {"said": say("objectives.rates.counted", **said)}
    return {
        "expected": rate.expected,
        "band": [max(0.0, rate.expected - 2 * rate.spread), min(1.0, rate.expected + 2 * rate.spread)],
        "said": say("objectives.rates.said", expected=f"{100 * rate.expected:.2f}", **said),
    }


def command(text: str, objective: ObjectiveEntry, seed: int, settings: Chosen) -> dict[str, str]:
    """The terminal's way to the same exercise."""
    words = ["--objective", objective.name, "--seed", str(seed), *flags("objective", objective.settings, settings)]
    words += ["--tokenizer", tokenizer_name(objective), "--tokens", str(LONGEST), "--text", text[:COMMANDED]]
    return {"command": "python -m lab corrupt " + shlex.join(words)}


# ---- checks and helpers


def fitting(name: str, knobs: Chosen) -> Values:
    """The knobs of the chosen objective, where an address names it and brings no settings of its own."""
    return {} if knobs["of"] == name else {"settings": knobs_value(name)}


def own(knobs: Chosen, name: str) -> Chosen:
    """The settings that the knobs stand for, where they are those of the chosen objective."""
    values: Chosen = knobs["values"] if knobs["of"] == name else {}
    return values


def _comes_again(objective: ObjectiveEntry) -> bool:
    drawn = "dynamic" in objective.settings.knobs() and "windows" not in objective.traits  # a window hides no token
    return drawn and not mask_calendar.suits(objective)


def _sentences(text: str) -> int:
    return sum(bool(sentence.strip()) for sentence in sentences_of(text))


def _what(rate: Rate, objective: ObjectiveEntry) -> Any:
    return pair(*objective.answers[int(rate.what)]) if rate.what.isdigit() else say(f"objectives.rate.{rate.what}")


def _other_than_set(counted: Sequence[Rate]) -> list[Any]:
    """Where a text is so short, or its words are so long, that its rate cannot be the nominal one."""
    notes = []
    for rate in counted:
        nominal = f"{100 * rate.nominal:g}"
        if rate.expected is None:
            notes.append(["note", say("objectives.rates.words", nominal=nominal)])
        elif rate.what == "asked" and abs(rate.expected - rate.nominal) > 0.002:
            notes.append(["note", say("objectives.rates.few", nominal=nominal, expected=f"{100 * rate.expected:.1f}")])
    return notes
