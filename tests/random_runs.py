"""Runs whose every number is random, of every family that has a naming: for the tests of what goes elsewhere."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tiny import plan
from tiny import shape as smallest
from torch import nn

from lab.catalog import MODELS, OBJECTIVES, TASKS, TOKENIZERS, sized
from lab.data.corpus import marked
from lab.exchange.naming import Naming
from lab.inference.model import build, heads_of
from lab.runs import checkpoint
from lab.runs.checkpoint import State
from lab.runs.files import write
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.tokenizer import Tokenizer

TEXT = "The cat sat on the mat. Where is the dog? It ran after the cat! 猫坐在垫子上。狗在哪里？"
LABELS = ("bad", "fine", "good")


@cache
def tokenizer(kind: str = "byte_bpe") -> Tokenizer:
    """A tokenizer of any kind, as small as it can be."""
    entry = TOKENIZERS[kind]
    trained: Tokenizer = entry.build([TEXT * 3], entry.settings.load(sized(entry, 300)))
    return trained


def suited(naming: Naming) -> dict[str, Any]:
    """Small sizes of which the naming makes its class, with blocks enough to mistake one for another."""
    settings = MODELS[naming.model].settings
    more = {
        "depth": 3,
        "feed": 44,
        "kv_heads": 1,
        "theta": 5e5,
        "rope_scale": 8.0,
        "original_context": 12,
        "buckets": 8,
        "window": 4,
    }
    more |= {"plain": True}  # transformers has no mask decoder
    values = smallest(naming.model) | {name: size for name, size in more.items() if name in settings.knobs()}
    if naming.hindrance(settings.load(values)):
        del values["feed"]  # which is not free there
    others = {"half": "generator"}, {"bias": "qkv"}
    tried = ({}, *(each for each in others if each.keys() <= settings.knobs().keys()))
    return next(values | each for each in tried if naming.suits(settings.load(values | each)))


def run_of(
    naming: Naming,
    path: Path,
    *,
    task: str | None = None,
    objective: str = "",
    known: Tokenizer | None = None,
    **more: Any,
) -> RunFolder:
    """A run of the family whose every parameter is random."""
    entry = MODELS[naming.model]
    objective = objective or naming.objective or entry.objective
    pair = entry.pair if naming.pair and not task and objective != "clm" else None
    run: Run = plan(model=naming.model, shape=suited(naming) | more, objective=objective, pair=pair, task=task)
    known = marked(known or tokenizer(), OBJECTIVES[objective])
    folder = RunFolder.create(run, path, known)
    labels = LABELS if task and TASKS[task].names else ()
    if labels:
        write(folder.path / "labels.json", json.dumps({"labels": labels}))
    model = build(run, known.vocabulary.size, *heads_of(run, labels))
    randomise(model)
    checkpoint.save(folder.path / "checkpoints", State(7, checkpoint.weights_of(model), {}, {}))
    return folder


@torch.no_grad()
def randomise(model: nn.Module) -> None:
    """Every number random, so that none can be missing or in another's place unseen."""
    dice = torch.Generator().manual_seed(3)
    learnt = [tensor for name, tensor in model.named_buffers() if name in ("final_logits_bias", "head.bias")]
    for tensor in [*model.parameters(), *learnt]:
        scale = tensor.dim() == 1 and bool((tensor == 1).all())
        noise = torch.randn(tensor.shape, generator=dice)
        tensor.copy_(1 + 0.2 * noise if scale else 0.1 * noise)
