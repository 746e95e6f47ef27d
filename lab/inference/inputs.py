"""Inputs: how a trained model is shown a text, its gaps, the special tokens around it, and who may look at whom.

T tokens
"""

import re

import numpy as np

from lab.batch import Exercise
from lab.catalog import OBJECTIVES, TASKS
from lab.data import template
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


def framed(trained: Trained, ids: np.ndarray, longest: int | None = None) -> np.ndarray:
    """The ids as the model's objective shows them, cut to its context or to ``longest`` where that is less: (T,)."""
    vocabulary, most = trained.tokenizer.vocabulary, min(trained.context, longest or trained.context)
    objective = OBJECTIVES[trained.run.objective]
    if trained.seq2seq is not None:
        return trained.seq2seq.read(ids[: most - 2], vocabulary)
    if trained.fills_onward and objective.packing.room:  # what is written stands in the same context
        most = min(most, objective.packing.room(most, trained.run.settings_of("objective")))
    return template.framed(ids[: most - template.FRAMES[objective.frame]], objective.frame, vocabulary)


def reading(trained: Trained, ids: np.ndarray) -> Exercise:
    """How the model is shown framed texts (T,) or (B, T) whose gaps, where they have any, are to be filled."""
    vocabulary, rows = trained.tokenizer.vocabulary, np.atleast_2d(ids)
    objective = OBJECTIVES[trained.run.objective]
    if objective.decoding.reading:
        return objective.decoding.reading(rows, vocabulary)
    return Exercise(shown=rows, asked=rows == vocabulary.mask, answers=rows, visible=trained.given)


def labelled(trained: Trained, ids: np.ndarray) -> Exercise:
    """How a fine-tuned model is shown the ids of a text (T,): one row, framed alike for all tasks."""
    task = TASKS["classify"]
    reader = constant_reader(trained.reader, ids)
    units: list[Unit] = task.build(Example(""), task.settings(), reader)
    return units[0].exercise


_BLANKS = re.compile(r"\s+" + re.escape(MASK))
