"""What a fine-tuned model leaves unread of an input that is longer than its context."""

from collections.abc import Sequence
from typing import Any

from lab.catalog import TASKS
from lab.examples import Example
from lab.inference.model import Trained
from lab.tasks.seq2seq import source_of
from lab.ui.words import say

# What each task reads of a long input. Those that are not here read all of it, window by window.
READS = {"classify": "end", "seq2seq": "beginning", "pairs": "pair", "similarity": "pair", "choice": "pair"}


def unread(models: Sequence[Trained | None], titles: Sequence[Any], example: Example | None) -> list[list[Any]]:
    """What is to be said of the arms that do not read the whole input, as the paragraphs of a Prose: once for all of
    them, or of each by its name where they differ."""
    said = [cut_off(model, example) if model and example else None for model in models]
    if all(each == said[0] for each in said):
        return [["note", each] for each in said[:1] if each]
    arms = zip(titles, said, strict=True)
    return [["note", say("finetune.state", which=title, what=each)] for title, each in arms if each]


def cut_off(model: Trained, example: Example) -> dict[str, Any] | None:
    """Which part of the example this model reads; None where that is all of it."""
    task = TASKS[model.run.task or "classify"]
    if task.name not in READS:
        return None
    parts = [example.text, example.pair, max(example.choices, key=lambda each: len(model.reader.ids(each)), default="")]
    has = sum(len(model.reader.ids(part)) for part in parts if part)
    reads = _tokens(model, example) - _tokens(model, Example("", choices=("",) * len(example.choices)))
    return say(f"finetune.cut.{READS[task.name]}", n=f"{has:,}", shown=f"{reads:,}") if has > reads else None


def _tokens(model: Trained, example: Example) -> int:
    """So many tokens are read, those around the texts included."""
    task, s = TASKS[model.run.task or "classify"], model.run.settings_of("task")
    if task.predict is None:
        return len(source_of(example.text, s, model.reader))
    return int(task.build(example, s, model.reader)[0].exercise.shown.shape[1])
