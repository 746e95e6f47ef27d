"""What a run says of itself when it begins: the baselines to hold its losses against, and how large everything is."""

from typing import Any

import torch

from lab.data.batches import Batches
from lab.data.corpus import recurring
from lab.data.labelled_batches import LabelledBatches
from lab.inference.tuning import asking, moving
from lab.runs.checkpoint import weights_of
from lab.training.evaluate import baselines_of, bytes_per_token
from lab.training.session import Session


def yardsticks(session: Session) -> dict[str, Any]:
    """The baselines, the sizes, and what else is known of the text."""
    train_batches, valid_batches = session.train_batches, session.valid_batches
    parameters = sum(p.numel() for p in session.model.parameters())
    sizes = {"parameters": parameters, "vocabulary": train_batches.vocabulary.size}
    if isinstance(train_batches, LabelledBatches) or train_batches.all_there:
        sizes["rows"] = train_batches.rows
    facts: dict[str, Any] = {}
    if isinstance(train_batches, LabelledBatches):
        assert isinstance(valid_batches, LabelledBatches)
        labels = session.trained.labels
        baselines = train_batches.task.yardsticks(train_batches.examples, valid_batches.examples, labels)
        sizes["moving"] = _moving(session, train_batches) if session.group.size == 1 else _asked(session, train_batches)
    else:
        assert isinstance(valid_batches, Batches)
        baselines = baselines_of(train_batches, valid_batches)
        facts["recurring"] = round(recurring(train_batches.stream, valid_batches.stream), 6)
        facts["bytes_per_token"] = round(bytes_per_token(valid_batches, session.trained.tokenizer), 4)
    return {"baselines": baselines, **sizes, **facts}


def _asked(session: Session, batches: LabelledBatches) -> int:
    """The same of several processes, of which one alone must not ask a model whose parts lie elsewhere."""
    return sum(weight.numel() for weight in asking(session.model, batches.task).values())


def _moving(session: Session, batches: LabelledBatches) -> int:
    """How many parameters fine-tuning moves."""
    batch = batches.batch(0, 1).to(session.device)
    with torch.random.fork_rng(devices=[session.device] if session.device.type == "cuda" else []):
        loss, _ = batches.task.loss(session.model(batch), batch)
    names = {*moving(session.model, loss)}
    return sum(weight.numel() for name, weight in weights_of(session.model).items() if name in names)
