"""nanoGPT's recipe for a laptop's processor: a plain loop around the class GPT-2 of transformers.

Figures from the README, train.py and config/train_shakespeare_char.py of nanoGPT: AdamW at 1e-3, falling by a cosine to
a tenth of it, 100 steps of warm-up, beta 2 of 0.99, weight decay of 0.1 for matrices, gradients cut at 1, no dropout,
random crops of the text. AdamW is the fused one, which nanoGPT takes on a GPU alone. The text, its characters and the
rows to be checked on are the lab's; checks do not count as time.

T tokens
"""

import json
import math
import sys
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import GPT2Config, GPT2LMHeadModel

from lab.data.batches import Batches
from lab.data.corpus import prepared
from lab.runs.run import Run

RATE, LEAST, WARMUP = 1e-3, 1e-4, 100


def main(run: Run, steps: int, every: int, seed: int) -> None:
    """Take the steps, and print the validation losses with the seconds at which they came as one line of JSON."""
    torch.manual_seed(seed)
    ready, shape = prepared(run), run.settings_of("model")
    checks = Batches(run, ready.valid, ready.tokenizer.vocabulary, validating=True)
    config = GPT2Config(
        vocab_size=ready.tokenizer.vocabulary.size,
        n_positions=shape.context,
        n_embd=shape.width,
        n_layer=shape.depth,
        n_head=shape.heads,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
    )
    model: Any = GPT2LMHeadModel(config)
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    others = [weight for weight in model.parameters() if weight.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.99), fused=True)
    ids, dice, seconds = torch.from_numpy(ready.train.ids.astype(np.int64)), np.random.default_rng(seed), 0.0
    losses = [[0.0, check(model, checks)]]
    for step in range(steps):
        begin = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = rate(step, steps)
        starts = dice.integers(0, len(ids) - shape.context - 1, run.plan.batch)
        rows = torch.stack([ids[start : start + shape.context + 1] for start in starts])  # (B, T + 1)
        loss = functional.cross_entropy(model(rows[:, :-1]).logits.flatten(0, 1), rows[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seconds += time.perf_counter() - begin
        if (step + 1) % every == 0:
            losses.append([seconds, check(model, checks)])
    print(json.dumps({"steps": steps, "losses": losses}))


def rate(step: int, steps: int) -> float:
    """The learning rate of a step."""
    if step < WARMUP:
        return RATE * (step + 1) / (WARMUP + 1)
    done = (step - WARMUP) / max(steps - WARMUP, 1)
    return LEAST + (RATE - LEAST) * 0.5 * (1 + math.cos(math.pi * done))


@torch.no_grad()
def check(model: Any, checks: Batches) -> float:
    """Nats per token at the questions that the lab's run is asked."""
    nats, count = 0.0, 0
    model.eval()
    for batch in checks.validation():
        assert batch.asked is not None and batch.answers is not None
        logits = model(batch.shown).logits.flatten(0, 1)[batch.asked]
        nats += functional.cross_entropy(logits, batch.answers, reduction="sum").item()
        count += len(batch.answers)
    model.train()
    return nats / count


if __name__ == "__main__":
    main(Run.load(json.loads(sys.argv[1])), *(int(word) for word in sys.argv[2:5]))
