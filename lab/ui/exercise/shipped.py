"""The models that come with the lab: read from disk once, and kept for every visitor."""

import functools

from lab.catalog import MODELS, fits
from lab.entries import ObjectiveEntry
from lab.inference.model import Trained, load
from lab.runs.folder import SHIPPED, RunFolder
from lab.runs.run import Run
from lab.serve import tokenizers
from lab.tokenizer import Tokenizer

FILLS, WRITES, ORDERS = "bert-town", "gpt-town", "albert-town"  # fills gaps, goes on writing, tells which came first
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
    if chosen is not None and answers(chosen.run, objective):
        return chosen
    model = _nearest(objective)
    if model is None or not fits(MODELS[model.run.model], objective) or objective.packing.special_tokens:
        return None
    if objective.stage == "pair" and model.run.pair != objective.name:
        return None
    return model


def answers(run: Run, objective: ObjectiveEntry) -> bool:
    """Whether a model has been pretrained with the objective."""
    return run.task is None and objective.name in (run.objective, run.pair)


def tokenizer(objective: ObjectiveEntry, chosen: Trained | None = None) -> Tokenizer:
    """The tokenizer with which the lab shows an objective: that of the ``chosen`` model where it answers it."""
    model = chosen if chosen is not None and answers(chosen.run, objective) else _nearest(objective)
    return model.tokenizer if model else tokenizers.load(PLAIN)


def tokenizer_name(objective: ObjectiveEntry) -> str:
    """What the command line calls that tokenizer."""
    return _name(objective) if _nearest(objective) else PLAIN


def _nearest(objective: ObjectiveEntry) -> Trained | None:
    """The lab's own model that comes nearest to what the objective asks."""
    return shipped(_name(objective))


def _name(objective: ObjectiveEntry) -> str:
    ordering = shipped(ORDERS)
    if ordering is not None and ordering.run.pair == objective.name:
        return ORDERS
    return WRITES if objective.left_to_right else FILLS
