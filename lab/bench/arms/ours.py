"""Our arm of the MLM benchmark: the training loop of the lab as it is."""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from lab.batch import Batch, losses
from lab.bench.arms.resting import Turns, answer, rest
from lab.inference.model import build, load
from lab.runs.checkpoint import set_weights
from lab.runs.folder import RunFolder
from lab.training.train import train


def main(place: Path) -> None:
    """Train the run that lies ready in ``place``, one turn at a time: the loss before training, the seconds of each
    step of a turn, and the loss behind the last one."""
    facts = json.loads((place / "facts.json").read_text(encoding="utf-8"))
    text, folder = load_file(place / "text.safetensors"), RunFolder.open(place / "ours")
    torch.set_num_threads(facts["plan"]["threads"])
    fresh = build(folder.run, facts["size"], 0).eval()
    set_weights(fresh, load_file(place / "start.safetensors"))
    rest()
    answer(loss=mean_loss(fresh, text, first_only=True))
    turns = Turns(facts["ends"])
    for step in train(folder):
        turns.took(step.step)
        if step.step == step.of:
            break  # without the last validation over everything
    answer(loss=mean_loss(load(folder).model, text))


def mean_loss(model: nn.Module, text: dict[str, Tensor], *, first_only: bool = False) -> float:
    """Nats per asked token over the questions that lie ready, or over the first batch of them."""
    nats = count = 0.0
    for n in range(1 if first_only else sum(name.startswith("shown.") for name in text)):
        batch = Batch(shown=text[f"shown.{n}"], asked=text[f"asked.{n}"], answers=text[f"answers.{n}"])
        with torch.inference_mode():
            nats += losses(model(batch), batch)["tokens"].item() * len(text[f"answers.{n}"])
        count += len(text[f"answers.{n}"])
    return nats / count


if __name__ == "__main__":
    main(Path(sys.argv[1]))
