"""In-context learning: a decoder that was never fine-tuned reads a few labelled examples in its prompt, and the label
whose words it holds the likeliest to come next is its answer; nothing is trained (Brown et al. 2020, section 2).

T tokens   N tokens of a label   V vocabulary
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from lab.batch import collate
from lab.data.reading import Parts
from lab.entries import TaskEntry
from lab.examples import Example, Prediction
from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.tasks.seq2seq import onward

NOTHING = "N/A"  # a text that says nothing, as Zhao et al. take one
MOST = 200  # examples that are asked about: each label of each is read


def in_context(
    trained: Trained, example: Example, shown: Sequence[Example], labels: Sequence[str], calibrated: bool = False
) -> tuple[Prediction, int]:
    """The label of an example behind those that are ``shown``, and how many of these had room. Where ``calibrated``,
    each label is held against how likely it is behind a text that says nothing (Zhao et al. 2021). Raises SettingsError
    for a model that does not go on with a text."""
    if not trained.left_to_right:
        raise SettingsError(
            "in-context learning needs a model that goes on with a text: choose a run with a left-to-right objective",
            "上下文学习需要会续写的模型：请选择用从左到右目标训练的模型",
        )
    room = trained.context - len(trained.opens) - max(len(trained.tokenizer.encode(label)) for label in labels)
    used = len(shown)
    while used and len(trained.tokenizer.encode(prompt(example, shown[-used:], labels))) > room:
        used -= 1  # whole examples go, the first ones first
    before = prompt(example, shown[-used:] if used else (), labels)
    # Not calibrated, a model prefers words that are frequent, and the label that it read last, whatever the text says.
    # What k examples seem to teach may be no more than that.
    nats = np.array([likelihood(trained, before, label) for label in labels])
    if calibrated:
        before = prompt(Example(NOTHING), shown[-used:] if used else (), labels)
        nats -= [likelihood(trained, before, label) for label in labels]
    chances = np.exp(nats - nats.max()) / np.exp(nats - nats.max()).sum()
    return Prediction(int(nats.argmax()), tuple(chances.tolist()), score=float(chances.max())), used


def likelihood(trained: Trained, before: str, label: str) -> float:
    """The mean log-probability in nats of a label's tokens behind what is ``before``: the mean, so that a long name is
    not unlikely for its length (Brown et al. 2020, section 2.4). Of a prompt that is too long the end is read."""
    reader = trained.reader
    target = reader.ids(label)
    source = reader.ids(before)[-(reader.context - len(trained.opens) - len(target)) :]
    source = np.concatenate([np.array(trained.opens, dtype=np.int64), source])
    exercise = onward(source, target, reader.vocabulary.end, whole=reader.visible == "all")
    batch = collate(exercise).to(trained.device)
    assert batch.answers is not None
    with torch.inference_mode():
        nats = trained.model(batch).tokens.float().log_softmax(-1)  # (N + 1, V): the end is not asked about
    return float(nats.gather(1, batch.answers[:, None])[: len(target)].mean())


def answers_in_context(
    trained: Trained,
    asked: Sequence[Example],
    pool: Sequence[Example],
    labels: Sequence[str],
    shots: int,
    seed: int,
    calibrated: bool = False,
) -> Iterator[tuple[Prediction, list[Example]]]:
    """The label of each example that is ``asked``, each behind ``shots`` examples of its own, drawn from the others of
    the ``pool``; and those of them that had room."""
    for number, example in enumerate(asked):
        others = [other for other in pool if other is not example]
        drawn = np.random.default_rng([seed, number]).permutation(len(others))[:shots]
        shown = [others[n] for n in drawn]
        prediction, used = in_context(trained, example, shown, labels, calibrated)
        yield prediction, shown[len(shown) - used :]


def measured_in_context(
    trained: Trained, parts: Parts, task: TaskEntry, shots: int, seed: int, most: int = MOST
) -> dict[str, Any]:
    """The task's measures on the first validation examples, each behind ``shots`` examples of its own that are drawn
    from those to learn from; beside them what others reach who have not read the texts."""
    checked = parts.valid[:most]
    answered = [*answers_in_context(trained, checked, parts.train, parts.labels, shots, seed)]
    return {
        **task.measure([prediction for prediction, _ in answered], checked, parts.labels),
        "texts": len(checked),
        "shots": round(float(np.mean([len(shown) for _, shown in answered])), 3),  # on average
        "baselines": task.yardsticks(parts.train, checked, parts.labels),
    }


def prompt(example: Example, shown: Sequence[Example], labels: Sequence[str]) -> str:
    """Each example is its text and, on the next line, its label; the last line is left to the model."""
    told = "".join(f"{_text(each)}\n{labels[each.label or 0]}\n" for each in shown)
    return f"{told}{_text(example)}\n"


def _text(example: Example) -> str:
    return f"{example.text} {example.pair}" if example.pair else example.text
