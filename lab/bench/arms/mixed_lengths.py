"""Both arms of fine-tuning on texts of mixed length, one in each process: the lab's loop, and the Trainer of
transformers with its own length-grouped batches and padding."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainerCallback,
)

from lab.bench.arms.peer import arguments, same_optimizer
from lab.bench.arms.resting import answer, rest
from lab.data.labelled_batches import LabelledBatches
from lab.data.reading import parts_of
from lab.inference.model import Trained, load
from lab.runs.folder import RunFolder
from lab.runs.run import FLOAT32, Training
from lab.training.matrix_products import by_onednn
from lab.training.train import train

HELD = 320  # held-out texts that are judged
TOGETHER = 32  # of them in a batch


class Stopwatch(TrainerCallback):
    """Notes when each step ended."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.ends.append(time.perf_counter())


def ours(place: Path, number: int, facts: dict[str, Any]) -> tuple[float, float, list[float]]:
    """The losses before and after, and when each step ended."""
    start, folder = load(RunFolder.open(place / "start")), RunFolder.open(place / f"ours-{number}")
    before, ends = _loss(start), []
    for step in train(folder):
        ends.append(time.perf_counter())
        if step.step == facts["plan"]["steps"]:
            break  # without the last validation over everything
    return before, _loss(load(folder)), ends


def _loss(trained: Trained) -> float:
    """Nats per held-out text."""
    parts = parts_of(trained.run)
    held = parts.valid[:HELD]
    batches = LabelledBatches(trained.run, held, trained.tokenizer, trained.labels)
    nats = 0.0
    for batch in batches.validation(len(held), TOGETHER):
        with torch.inference_mode():
            loss, count = batches.task.loss(trained.model(batch), batch)
        nats += float(loss) * float(count)
    return nats / len(held)


def peer(place: Path, number: int, facts: dict[str, Any]) -> tuple[float, float, list[float]]:
    """The same of the Trainer."""
    s = facts["settings"]
    if s["alike"]:
        by_onednn(s["context"])
    tokenizer = AutoTokenizer.from_pretrained(place / "peer")
    model = AutoModelForSequenceClassification.from_pretrained(place / "peer")
    rows, held = (json.loads((place / f"{part}.json").read_text(encoding="utf-8")) for part in ("train", "valid"))
    held = held[:HELD]
    together = DataCollatorWithPadding(tokenizer)
    before, watch = _their_loss(model.eval(), held, together), Stopwatch()
    plan = Training.load(facts["plan"])
    how = arguments(place / f"peer-{number}", {**s, "steps": facts["plan"]["steps"], "peer_precision": FLOAT32}, number)
    how.train_sampling_strategy = "group_by_length"
    Trainer(
        model=model,
        args=how,
        data_collator=together,
        train_dataset=rows,
        optimizers=same_optimizer(model, plan, s["learning_rate"], facts["plan"]["steps"]),
        callbacks=[watch],
    ).train()
    return before, _their_loss(model.eval(), held, together), watch.ends


def _their_loss(model: nn.Module, rows: list[dict[str, Any]], together: DataCollatorWithPadding) -> float:
    nats = 0.0
    for first in range(0, len(rows), TOGETHER):
        batch = together(rows[first : first + TOGETHER])
        labels: Tensor = batch.pop("labels")
        with torch.inference_mode():
            nats += functional.cross_entropy(model(**batch).logits, labels, reduction="sum").item()
    return nats / len(rows)


def main(arm: str, place: Path, rounds: int) -> None:
    """Fine-tune on what lies ready in ``place``, once in each turn, and say what was measured."""
    facts = json.loads((place / "facts.json").read_text(encoding="utf-8"))
    torch.set_num_threads(facts["plan"]["threads"])
    for number in range(rounds):
        rest()
        before, after, ends = (ours if arm == "ours" else peer)(place, number, facts)
        # Whole epochs: an arm reads its texts in an order of its own, and they are not equally long.
        answer(seconds=ends[-2] - ends[facts["epoch"] - 1], start_loss=before, end_loss=after)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
