"""Answers of a fine-tuned model: a text's class, its words' tags, where an answer stands in it, what is written."""

import numpy as np
import torch

from lab.batch import Output
from lab.catalog import TASKS
from lab.examples import Example, Prediction
from lab.inference.decoding import GREEDY, Blanks, Growing, Reply, decode, grown
from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.tasks.parts.batching import batch_of, scores_of
from lab.tasks.seq2seq import room, source_of


def answer(trained: Trained, example: Example) -> Prediction:
    """What the model says of an example, whose labels it is not shown. Raises SettingsError for a model that was not
    fine-tuned."""
    if trained.run.task is None:
        raise SettingsError(
            "this run was not fine-tuned for a task: fine-tune it first", "这个训练没有经过任务微调：请先微调"
        )
    task, s = TASKS[trained.run.task], trained.run.settings_of("task")
    if task.predict is None:
        return Prediction(text=written(trained, example.text))
    units = task.build(example, s, trained.reader)
    batch = batch_of(units, task, trained.tokenizer.vocabulary).to(trained.device)
    with torch.inference_mode():
        output: Output = trained.model(batch)
    return task.predict(example, units, scores_of(units, output, task), trained.labels, s)


def written(trained: Trained, text: str) -> str:
    """What a model that was fine-tuned to write answers to a text, the likeliest token at each step."""
    s = trained.run.settings_of("task")
    source = source_of(text, s, trained.reader)
    ids = [token.id for token in decode(trained, _begun(trained, source), GREEDY, room(s, trained.context))]
    return trained.tokenizer.decode(ids, begins=True).strip()


def _begun(trained: Trained, source: np.ndarray) -> Growing:
    """An answer to the source, ready to grow."""
    if trained.seq2seq is not None:
        return Reply(trained, trained.seq2seq, source)
    if trained.fills_onward:
        blanks = Blanks(trained, source)
        blanks.begin()
        return blanks
    return grown(trained, source, len(source))
