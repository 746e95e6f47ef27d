"""Probing: what a linear classifier reads off the hidden states of each layer, with the model left as it is (Alain and
Bengio 2017; Tenney et al. 2019).

A text is the mean of its tokens' states, a word the state of its first token. The classifier is multinomial logistic
regression on standardised states with half the squared weights as penalty, which is the usual one, C = 1.

N examples   B rows   T tokens   W width   C classes   L layers
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from lab.catalog import TASKS
from lab.data.labelled_batches import LabelledBatches
from lab.data.reading import Parts
from lab.examples import Example, Prediction
from lab.inference.hidden_states import states_of
from lab.inference.model import Trained
from lab.layers.heads import MeanToken
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.tasks.parts.batching import UNASKED

PROBED = tuple(task.name for task in TASKS if task.names)  # the tasks whose answers are classes
LEARNT, CHECKED = 500, 300  # examples, at most
LARGE, LEAST = 30_000_000, 100  # parameters above which a model reads fewer, and examples that it reads all the same
ROWS = 16  # that are read at once: the states of every layer are held together
WORDS = 4000  # of the examples to learn from, where each word has an answer
ROUNDS = 60  # of L-BFGS

Probe = Callable[[Tensor], Tensor]
mean = MeanToken()


def probed(trained: Trained, run: Run, parts: Parts) -> dict[str, Any]:
    """The score of a probe on the embedding, then on every block, of the task that ``run`` names. Raises SettingsError
    where a model has no such states, or the task no classes."""
    if run.task not in PROBED:
        raise SettingsError(
            "a probe needs classes of texts, of pairs or of words: choose another task",
            "探针需要文本、句对或词的类别：请选择另一个任务",
        )
    task, labels = TASKS[run.task], parts.labels
    share = min(LARGE / max(trained.parameters, 1), 1)
    read = few(parts.train, max(int(LEARNT * share), LEAST)), parts.valid[: max(int(CHECKED * share), LEAST)]
    learnt, checked = (LabelledBatches(run, part, trained.tokenizer, labels) for part in read)
    probes = learn(trained, learnt, task.outputs(len(labels)))
    examples = checked.examples
    found = [task.measure(answers, examples, labels)[task.score] for answers in _answers(trained, checked, probes)]
    return {
        "score": task.score,
        "by_layer": found,
        "texts": {"learnt": len(learnt.examples), "checked": len(examples)},
        "baselines": task.yardsticks(learnt.examples, examples, labels),
    }


def learn(trained: Trained, batches: LabelledBatches, classes: int) -> list[Probe]:
    """A probe for each layer, which has learnt the answers to all examples."""
    layers: list[list[Tensor]] = []
    answers: list[Tensor] = []
    for batch in batches.validation(LEARNT, ROWS):
        states = states_of(trained, batch)
        wanted = batch.label if batch.tags is None else batch.tags
        assert wanted is not None
        there = wanted != UNASKED  # (B,) or (B, T)
        layers.append([(mean(each, batch.real) if batch.tags is None else each)[there] for each in states])  # (N, W)
        answers.append(wanted[there])
    return [fit(torch.cat(own), torch.cat(answers), classes) for own in zip(*layers, strict=True)]


def _answers(trained: Trained, batches: LabelledBatches, probes: Sequence[Probe]) -> list[list[Prediction]]:
    """What the probe of each layer says of every example."""
    predict, said = batches.task.predict, [list[Prediction]() for _ in probes]
    assert predict is not None
    for judged in batches.judged(CHECKED, ROWS):
        words = judged.batch.tags is not None
        for layer, (probe, states) in enumerate(zip(probes, states_of(trained, judged.batch), strict=True)):
            scores = probe(states if words else mean(states, judged.batch.real)[:, None]).numpy()  # (B, T or 1, C)
            rows = iter(scores)
            for example, units in zip(judged.examples, judged.units, strict=True):
                own = [next(rows) for _ in units]
                said[layer].append(predict(example, units, own, batches.labels, batches.settings))
    return said


def few(examples: Sequence[Example], most: int = LEARNT) -> Sequence[Example]:
    """As many of the examples as a probe learns from: of those whose words have tags, about ``WORDS`` words."""
    words = np.cumsum([len(example.tags) for example in examples[:most]])
    return examples[: max(int(np.searchsorted(words, WORDS)), 1) if words[-1] else most]


def shuffled(trained: Trained, seed: int = 0) -> Trained:
    """The same model with the numbers of each weight in another order, as large as before and without what they had
    learnt: what a probe reads off this is not the model's knowledge."""
    model, dice = copy.deepcopy(trained.model), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(weight.flatten()[torch.randperm(weight.numel(), generator=dice)].view_as(weight))
    return replace(trained, model=model)


def fit(states: Tensor, answers: Tensor, classes: int) -> Probe:
    """The logistic regression of ``answers`` (N,) on ``states`` (N, W): gives the logits (..., C) of other states."""
    middle, spread = states.mean(0), states.std(0, correction=0).clamp_min(1e-6)
    seen = (states - middle) / spread
    with torch.enable_grad():
        weight = torch.zeros(states.shape[1], classes, requires_grad=True)
        bias = torch.zeros(classes, requires_grad=True)
        solver = torch.optim.LBFGS([weight, bias], max_iter=ROUNDS, line_search_fn="strong_wolfe")

        def loss() -> Tensor:
            solver.zero_grad()
            wrong = functional.cross_entropy(seen @ weight + bias, answers) + weight.square().sum() / 2 / len(answers)
            wrong.backward()
            return wrong

        solver.step(loss)
    learnt, own = weight.detach(), bias.detach()
    return lambda others: (others - middle) / spread @ learnt + own
