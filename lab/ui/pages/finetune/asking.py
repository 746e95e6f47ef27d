"""Ask it: the visitor's own input for a task, and what each arm of the comparison says of it, side by side."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.catalog import TASKS
from lab.entries import TaskEntry
from lab.examples import OUTSIDE, Example, Prediction, by_character, joined
from lab.inference.answering import answer
from lab.inference.model import Trained
from lab.serve.limits import limits, within
from lab.ui.pages.finetune.arms import called
from lab.ui.pages.finetune.comparison import named
from lab.ui.pages.finetune.cut import unread
from lab.ui.pages.finetune.samples import SAMPLES, Sample, untouched
from lab.ui.pages.finetune.slots import filled
from lab.ui.runs.fine_tuning import MOST, names_in
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent
from lab.ui.shell.visitor import readable, trained, usable
from lab.ui.words import in_language, language_now, say

CLASSES = 20  # bars at most
CHOICES = 8
NO_BARS: dict[str, Any] = {"bars": [], "empty": say("finetune.bars.empty")}
UNFILLED: dict[str, Any] = NO_BARS | {"empty": say("finetune.bars.fill")}
NOTHING_SAID: dict[str, Any] = {"rows": [], "empty": say("finetune.bars.empty")}


def fields(visitor: str, names: str, text: str, language: str) -> Values:
    """The fields that the shown comparison's task reads, each under its name there; where the visitor has written
    nothing yet, an example stands in them. To a model that has learnt from a file of the visitor's own the town's
    stories would be strange: it gets none."""
    task, strange = task_of(visitor, names), _learnt_from_a_file(visitor, names)
    label = in_language(say(f"finetune.ask.{task.name}"), language_now())
    second = in_language(
        say(f"finetune.ask.second.{'question' if 'answers' in task.holds else 'pair'}"), language_now()
    )
    values: Values = {
        "own": {"label": label},
        "second": {"label": second, "visible": "pair" in task.holds},
        "options": {"visible": "choices" in task.holds},
    }
    if untouched(text):
        sample = Sample("") if strange else SAMPLES[task.name, language if language == "zh" else "en"]
        for name, value in (("own", sample.text), ("second", sample.second), ("options", sample.options)):
            values[name]["value"] = value
    ends = gr.update(visible=task.name == "classify" and not strange)
    return {"ends": ends, **{name: gr.update(**about) for name, about in values.items()}}


def _learnt_from_a_file(visitor: str, names: str) -> bool:
    shown = names_in(names)
    return bool(shown) and readable(shown[0], visitor).run.corpus == "labelled"


def task_of(visitor: str, names: str) -> TaskEntry:
    """What the shown comparison's arms were fine-tuned for."""
    shown = names_in(names)
    return TASKS[(readable(shown[0], visitor).run.task if shown else None) or "classify"]


def ask(visitor: str, names: str, text: str, second: str, options: str) -> Values:
    """What all arms make of the input: bars where it is one of several, marked text where it is not; and which part of
    it they read."""
    task = task_of(visitor, names)
    example = example_of(task, text, second, options)
    folders = [readable(name, visitor) for name in names_in(names)[:MOST]]
    titles = called(visitor, folders)
    models = [trained(folder.name) if example and usable(folder) else None for folder in folders]
    values = {"unread": unread(models, titles, example)}
    if "label" in task.holds:
        bars = filled("bars", titles, [_bars(m, example) for m in models])
        return {"said": gr.update(visible=False), **bars, **values}
    arms = zip(models, titles, strict=True)
    rows = [_row(model, task, example, title) for model, title in arms if model and example]
    nothing = NOTHING_SAID if example else NOTHING_SAID | {"empty": say("finetune.bars.fill")}
    return {"said": gr.update(visible=True, value=nothing | {"rows": rows}), **filled("bars", [], []), **values}


def example_of(task: TaskEntry, text: str, second: str, options: str) -> Example | None:
    """The input as an example without labels; None where something lacks."""
    for each in (text, second, options):
        within(each or "", limits().prompt)
    choices = [line.strip() for line in (options or "").splitlines() if line.strip()][:CHOICES]
    lacks = not text.strip() or ("pair" in task.holds and not second.strip())
    if lacks or ("choices" in task.holds and len(choices) < 2):
        return None
    if "tags" in task.holds:
        words, _ = by_character(text.split(), [OUTSIDE] * len(text.split()))
        whole, spans = joined(words)
        return Example(whole, words=spans)
    pair = second if "pair" in task.holds else ""
    return Example(text, pair=pair, choices=tuple(choices) if "choices" in task.holds else ())


def _bars(model: Trained | None, example: Example | None) -> dict[str, Any]:
    """The probability of each class, or of each choice."""
    if example is None:
        return UNFILLED
    if model is None:
        return NO_BARS
    said, names = answer(model, example), example.choices or named(model.labels)
    shown = sorted(sorted(range(len(said.chances)), key=lambda number: -said.chances[number])[:CLASSES])
    bars = [
        {
            "key": str(number),
            "name": names[number],
            "token": False,
            "value": said.chances[number],
            "chosen": number == said.label,
        }
        for number in shown
    ]
    return NO_BARS | {"bars": bars, "unit": "percent", "max": 1, "wide": True}


def _row(model: Trained, task: TaskEntry, example: Example, title: Any) -> dict[str, Any]:
    """One arm's answer as marked text."""
    said = answer(model, example)
    if "tags" in task.holds:
        parts = tagged(example, said, model.labels)
        found = any(kind for _, kind, *_ in parts)
        return {"label": title, "parts": parts, "note": "" if found else say("finetune.said.untagged")}
    if "answers" in task.holds:
        return {"label": title, **_found(example, said)}
    if "value" in task.holds:
        return {"label": title, "note": say("finetune.said.value", n=f"{said.value:.2f}")}
    return {
        "label": title,
        "parts": [[said.text, "written"]],
        "note": "" if said.text else say("finetune.said.nothing"),
    }


def tagged(example: Example, said: Prediction, labels: Sequence[str]) -> list[list[Any]]:
    """The text in stretches: each entity with its kind, or each word with its tag, and what is between them."""
    parts: list[list[Any]] = []
    at, going = 0, ""
    for (start, end), tag in zip(example.words, said.tags, strict=True):
        name, between = labels[tag], example.text[at:start]
        kind = name[2:] if name[:2] in ("B-", "I-") else "" if name == OUTSIDE else name
        if kind and kind == going and name.startswith("I-"):
            parts[-1][0] += between + example.text[start:end]
        else:
            parts += [[between, ""], [example.text[start:end], "predicted" if kind else "", kind]]
        at, going = end, kind
    return [part for part in parts if part[0]]


def _found(example: Example, said: Prediction) -> dict[str, Any]:
    """A passage with the answer marked in it, or that there is none."""
    sure = percent(said.score)
    if said.answer is None:
        return {"parts": [[example.text, ""]], "note": say("finetune.said.silent", share=sure)}
    start, end = said.answer
    parts = [[example.text[:start], ""], [example.text[start:end], "predicted"], [example.text[end:], ""]]
    return {"parts": [part for part in parts if part[0]], "note": say("finetune.said.found", share=sure)}
