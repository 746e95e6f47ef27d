"""The models that come with the lab: read from disk once, and kept for every visitor."""

import functools

from lab.entries import ObjectiveEntry
from lab.inference.model import Trained, load
from lab.runs.folder import SHIPPED, RunFolder
from lab.runs.run import Run
from lab.serve import tokenizers
from lab.tokenizer import Tokenizer

# They fill gaps, go on writing, tell which sentence came first, and write what stood in gaps.
FILLS, WRITES, ORDERS, SPANS = "bert-town", "gpt-town", "albert-town", "t5-town"
PLAIN = "town-byte_bpe-2000"  # the tokenizer of a copy of the lab without its recorded runs


@functools.cache
def shipped(name: str) -> Trained | None:
    """One of the lab's own models; None in a copy of the lab without its recorded runs."""
    if not (SHIPPED / name / "run.json").is_file():
        return None
    return load(RunFolder(SHIPPED / name))


def learnt(objective: ObjectiveEntry, chosen: Trained | None = None) -> Trained | None:
    """The ``chosen`` model, or else one of the lab's own, that has learnt to answer what the objective asks, where
    there is one."""
    able = (model for model in (chosen, shipped(_name(objective))) if model and answers(model.run, objective))
    return next(able, None)


def answers(run: Run, objective: ObjectiveEntry) -> bool:
    """Whether a model has been pretrained with the objective."""
    return run.task is None and objective.name in (run.objective, run.pair)


def tokenizer(objective: ObjectiveEntry, chosen: Trained | None = None) -> Tokenizer:
    """The tokenizer with which the lab shows an objective: that of the ``chosen`` model where it answers it."""
    model = learnt(objective, chosen) or shipped(_name(objective))
    return model.tokenizer if model else tokenizers.load(PLAIN)


def tokenizer_name(objective: ObjectiveEntry) -> str:
    """What the command line calls that tokenizer."""
    return _name(objective) if shipped(_name(objective)) else PLAIN


def _name(objective: ObjectiveEntry) -> str:
    """The lab's own model that has learnt the objective, or else the one that comes nearest to what it asks."""
    for name in (FILLS, WRITES, ORDERS, SPANS):
        model = shipped(name)
        if model is not None and answers(model.run, objective):
            return name
    return WRITES if objective.left_to_right else FILLS
