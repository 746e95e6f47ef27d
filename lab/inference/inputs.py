"""Inputs: how a trained model is shown a text, its gaps, the special tokens around it, and who may look at whom.

T tokens
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lab.batch import Exercise
from lab.catalog import OBJECTIVES, TASKS
from lab.data.reading import constant_reader
from lab.examples import Example, Unit
from lab.inference.model import Trained
from lab.vocabulary import MASK


def with_gaps(trained: Trained, text: str) -> np.ndarray:
    """The ids of a text in which [MASK] stands for a gap: (T,). Where words take along the blank before them, so does
    a gap: in training, the model never saw a blank and then a mask. As in RoBERTa's tokenizer, it takes all of them."""
    if trained.tokenizer.joins_blanks:
        text = _BLANKS.sub(MASK, text)
    return trained.tokenizer.encode_with_gaps(text)


def with_special_tokens(trained: Trained, text: str) -> np.ndarray:
    """The same, and every special token that is typed by its name, such as [SEP], stands for itself: (T,). Blanks
    around it are none of the text. Those that ``framed`` puts around a text anyway are left out at its ends."""
    vocabulary, marks = trained.tokenizer.vocabulary, trained.tokenizer.marks
    parts = trained.tokenizer.around_marks.split(text) if marks else [text]
    ids = [np.array([marks[part]]) if at % 2 else with_gaps(trained, part) for at, part in enumerate(parts)]
    whole = np.concatenate(ids).astype(np.int64)
    if opens := trained.opens:
        return whole[len(opens) :] if whole[: len(opens)].tolist() == opens else whole
    if trained.seq2seq is None and OBJECTIVES[trained.run.objective].frame == "bounded":
        whole = whole[int(whole[:1].tolist() == [vocabulary.begin]) :]
        whole = whole[: len(whole) - int(whole[-1:].tolist() == [vocabulary.separate])]
    return whole


def around(trained: Trained) -> tuple[Sequence[int], Sequence[int]]:
    """The special tokens before and behind a text that one stack reads: those of its objective; where that has none,
    what an imported model's tokenizer puts there, and what a task frames a text in."""
    frame, vocabulary = OBJECTIVES[trained.run.objective].frame, trained.tokenizer.vocabulary
    if frame == "plain":
        return (trained.opens, ()) if trained.run.task in (None, "seq2seq") else trained.reader.bounds
    begin, separate = vocabulary.begin, vocabulary.separate
    return ((begin,), (separate,)) if frame == "bounded" else ((), (separate, begin))


def framed(trained: Trained, ids: np.ndarray, longest: int | None = None) -> np.ndarray:
    """The ids as the model is shown them, with the special tokens around a text, cut to its context or to ``longest``
    where that is less: (T,)."""
    vocabulary, most = trained.tokenizer.vocabulary, min(trained.context, longest or trained.context)
    objective = OBJECTIVES[trained.run.objective]
    if trained.seq2seq is not None:
        return trained.seq2seq.read(ids[: most - 2], vocabulary)
    if trained.fills_onward and objective.packing.room:  # what is written stands in the same context
        most = min(most, objective.packing.room(most, trained.run.settings_of("objective")))
    before, behind = around(trained)
    return np.array([*before, *ids[: max(most - len(before) - len(behind), 0)], *behind], dtype=np.int64)


def reading(trained: Trained, ids: np.ndarray) -> Exercise:
    """How the model is shown framed texts (T,) or (B, T) whose gaps, where they have any, are to be filled."""
    vocabulary, rows = trained.tokenizer.vocabulary, np.atleast_2d(ids)
    objective = OBJECTIVES[trained.run.objective]
    if objective.decoding.reading:
        return objective.decoding.reading(rows, trained.run.settings_of("objective"), vocabulary)
    return Exercise(shown=rows, asked=rows == vocabulary.gap, answers=rows, visible=trained.given)


def masked_alone(trained: Trained, ids: np.ndarray, places: np.ndarray) -> Exercise:
    """A framed text (T,) so many times, each time with one of the ``places`` (N,) masked and asked."""
    rows, row = np.tile(ids, (len(places), 1)), np.arange(len(places))  # (N, T)
    rows[row, places] = trained.tokenizer.vocabulary.mask
    exercise = reading(trained, rows)
    asked = np.zeros_like(exercise.asked)
    asked[row, places] = True
    return replace(exercise, asked=asked)


def labelled(trained: Trained, ids: np.ndarray) -> Exercise:
    """How a fine-tuned model is shown the ids of a text (T,): one row, framed alike for all tasks."""
    task = TASKS["classify"]
    reader = constant_reader(trained.reader, ids)
    units: list[Unit] = task.build(Example(""), task.settings(), reader)
    return units[0].exercise


_BLANKS = re.compile(r"\s+" + re.escape(MASK))
