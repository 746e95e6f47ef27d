"""The models that come with the lab: read from disk once, and kept for every visitor."""

import functools

import torch

from lab.catalog import MODELS, fits
from lab.engine.model import Trained, load
from lab.engine.run import SHIPPED, RunFolder
from lab.registry import Entry
from lab.serve import tokenizers
from lab.vocab import Tokenizer

FILLS, WRITES = "bert-town", "gpt-town"  # the one that fills gaps, the one that goes on writing
PLAIN = "town-byte_bpe-2000"  # the tokenizer of a copy of the lab without its recorded runs


@functools.cache
def shipped(name: str) -> Trained | None:
    """One of the lab's own models; None in a copy of the lab without its recorded runs."""
    if not (SHIPPED / name / "run.json").is_file():
        return None
    torch.set_num_threads(1)  # a handler's small sums wait longer for a second thread than it helps them
    return load(RunFolder(SHIPPED / name))


def learnt(objective: Entry) -> Trained | None:
    """The lab's own model that has learnt to answer what the objective asks, where it can be asked that at all."""
    model = shipped(WRITES if objective.extra.get("left_to_right") else FILLS)
    if model is not None and not fits(MODELS[model.run.model], objective):
        return None
    if model is not None and objective.extra["stage"] == "pair" and model.run.pair != objective.name:
        return None
    if model is not None and (not fits(MODELS[model.run.model], objective) or "marks" in objective.extra):
        return None
    return model


def tokenizer(objective: Entry) -> Tokenizer:
    """The tokenizer with which the lab shows an objective."""
    model = shipped(WRITES if objective.extra.get("left_to_right") else FILLS)
    return model.tokenizer if model else tokenizers.load(PLAIN)
