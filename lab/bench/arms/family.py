"""Both arms of a family's training step: a model of the lab and its class in transformers, by turns in one process.

The class is loaded from the folder that an export would write, so that both start from the same weights; both see the
same batch, which the family's own objective makes of random ids, and take the same steps of AdamW. The class works out
its own loss. It keeps no cache, and else is as transformers makes it.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from lab.analysis.cost import any_batch
from lab.batch import Batch, losses
from lab.bench.turns import turns
from lab.exchange.known import naming_of
from lab.exchange.naming import Naming
from lab.inference.model import build
from lab.layers.partial import by_row
from lab.runs.run import Run
from lab.training.matrix_products import by_onednn, choose
from lab.vocabulary import PAD, SPECIALS

VOCABULARY = 2048
RATE = 1e-4  # low, so that roundings stay as small as they are: at 1e-3 T5's losses part by 0.04 nats in 20 steps
ROLES = {f"{role}_token_id": SPECIALS.index(PAD) for role in ("pad", "bos", "eos", "decoder_start")}  # of no account
WARM = 3  # first steps of each arm that are not timed


def main(run: Run, steps: int, alike: bool, compiled: bool) -> None:
    """Take the steps, ours, peer, peer, ours and so on, and print losses and seconds as one line of JSON. Products are
    worked out as the lab's training has them, the peer's only where both are to be ``alike``. The peer may be
    ``compiled``."""
    shape, batch = run.settings_of("model"), any_batch(run, VOCABULARY)
    ours = build(run, VOCABULARY, 0)
    theirs = same_model(ours, naming_of(run.model, shape), shape)
    asked = asked_of(batch)
    asking = torch.compile(theirs, dynamic=False) if compiled else theirs
    arms = {
        "ours": stepping(ours, lambda: torch.stack([*losses(ours(batch), batch).values()]).sum()),
        "peer": stepping(theirs, lambda: asking(**asked).loss),
    }
    measured: dict[str, list[tuple[float, float]]] = {arm: [] for arm in arms}
    for _, arm in turns(WARM + steps):
        if arm == "ours" or alike:
            by_onednn(shape.context)
        else:
            choose(onednn=False, fused=True)
        measured[arm].append(arms[arm]())
    document = {
        "first": {arm: runs[0][0] for arm, runs in measured.items()},
        "last": {arm: runs[-1][0] for arm, runs in measured.items()},
        "seconds": {arm: [seconds for _, seconds in runs[WARM:]] for arm, runs in measured.items()},
    }
    print(json.dumps(document))


def same_model(ours: nn.Module, naming: Naming, shape: Any, vocabulary: int = VOCABULARY) -> Any:
    """The class of transformers with our weights."""
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as name:
        theirs = naming.give(dict(ours.named_parameters()), shape)
        copies = {name: tensor.detach().clone().contiguous() for name, tensor in theirs.items()}
        save_file(copies, Path(name) / "model.safetensors", {"format": "pt"})
        config = {"architectures": [naming.tokens], **ROLES, **naming.config(shape, vocabulary)}
        (Path(name) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        model: Any = getattr(transformers, naming.tokens).from_pretrained(name)
    model.config.use_cache = False
    return model


def stepping(model: nn.Module, loss_of: Callable[[], Tensor]) -> Callable[[], tuple[float, float]]:
    """One training step of the model at each call: its loss before the step, and the seconds that the step took."""
    optimizer = torch.optim.AdamW(model.train().parameters(), lr=RATE, fused=True)

    def step() -> tuple[float, float]:
        begin = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.item(), time.perf_counter() - begin

    return step


def asked_of(batch: Batch) -> dict[str, Tensor]:
    """The batch in the words of transformers."""
    assert batch.asked is not None and batch.answers is not None
    if batch.source is not None:
        inputs = {"input_ids": batch.source, "attention_mask": batch.source_real, "decoder_input_ids": batch.shown}
        inputs |= {"decoder_attention_mask": batch.real, "labels": labels(batch, batch.asked)}
    elif batch.order is not None:
        inputs = {"input_ids": batch.shown, "token_type_ids": batch.segments, **permuted(batch)}
    else:
        place = batch.asked + int(batch.following)  # a class that reads from the left moves its labels by itself
        inputs = {"input_ids": batch.shown, "token_type_ids": batch.segments, "labels": labels(batch, place)}
    return {name: value for name, value in inputs.items() if value is not None}


def labels(batch: Batch, place: Tensor) -> Tensor:
    """The answers at these places, -100 at all others: (B, T)."""
    assert batch.answers is not None
    return torch.full_like(batch.shown.flatten(), -100).index_copy(0, place, batch.answers).view_as(batch.shown)


def permuted(batch: Batch) -> dict[str, Tensor]:
    """Who may see whom, and what is asked, of a text that is read in an order of its own."""
    assert batch.asked is not None and batch.answers is not None and isinstance(batch.visible, Tensor)
    assert batch.order is not None
    rows, t = batch.shown.shape
    places, row, slot = by_row(batch.asked, rows, t)  # (B, P), (N,), (N,)
    answers = torch.full_like(places, -100)
    answers[row, slot] = batch.answers
    itself = torch.eye(t, dtype=torch.bool) & (batch.order >= 0)[:, :, None]
    mapping = functional.one_hot(places, t).float()
    return {"perm_mask": (~(batch.visible & ~itself)).float(), "target_mapping": mapping, "labels": answers}


if __name__ == "__main__":
    main(Run(**json.loads(sys.argv[1])), int(sys.argv[2]), sys.argv[3] == "1", sys.argv[4] == "1")
