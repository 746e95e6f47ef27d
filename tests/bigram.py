"""A model whose every number can be worked out by hand: it knows which letter followed which."""

import numpy as np
import torch
from tiny import plan

from lab.batch import Batch, Output
from lab.catalog import TOKENIZERS
from lab.inference.model import Trained
from lab.layers.kv_cache import Cache


class Bigram(torch.nn.Module):
    """Half of all chances go to the letters that followed in what it knows, the rest is shared out evenly."""

    def __init__(self, ids: np.ndarray, size: int) -> None:
        super().__init__()
        counts = torch.zeros(size, size)
        for before, after in zip(ids[:-1].tolist(), ids[1:].tolist(), strict=True):
            counts[before, after] += 1
        followed = counts / counts.sum(1, keepdim=True).clamp(min=1)
        self.register_buffer("chances", followed / 2 + 0.5 / size)
        self.read: list[list[int]] = []

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        assert batch.asked is not None
        self.read.append(batch.shown[0].tolist())
        chances = self.get_buffer("chances")
        return Output(tokens=chances[batch.shown.flatten()[batch.asked]].log())


def knowing(text: str, context: int = 16, objective: str = "clm") -> Trained:
    entry = TOKENIZERS["bytes"]
    tokenizer = entry.build([text], entry.settings())
    run = plan(model="gpt", objective=objective, shape={"width": 16, "depth": 1, "heads": 2, "context": context})
    return Trained(run, Bigram(tokenizer.encode(text), tokenizer.vocabulary.size), tokenizer)
