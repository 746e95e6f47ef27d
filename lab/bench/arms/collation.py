"""Both arms of the collation benchmark, by turns in one process, and every other objective behind them.

The collator of transformers gets lists, as a data set hands them out, or arrays: what it is quicker with.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lab.batch import Batch, losses
from lab.bench.arms.peer import collator, examples
from lab.bench.collation import Collation
from lab.bench.mlm_training import undisturbed
from lab.catalog import MODELS, OBJECTIVES, fits
from lab.data.batches import Batches
from lab.data.corpus import Prepared, counted, marked, prepare
from lab.entries import ObjectiveEntry
from lab.inference.model import build
from lab.runs.folder import RunFolder
from lab.runs.run import Run


def main(wanted: dict[str, Any]) -> None:
    """Measure everything and print it as one line of JSON."""
    s = Collation.load(wanted["settings"])
    torch.set_num_threads(s.threads)
    run = run_of(s, wanted["corpus"], OBJECTIVES["mlm"])
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as name:
        ready = prepare(RunFolder.create(run, Path(name) / "run"))
    feed = Batches(run, ready.train, ready.tokenizer.vocabulary)
    batches = [feed.batch(step, s.batch) for step in range(s.rounds)]
    found, asked = by_turns(feed, batches, s)
    others = {entry.name: of(entry, ready, s, wanted["corpus"]) for entry in OBJECTIVES if entry.name != "mlm"}
    document = {
        "mlm": found,
        "asked": asked,
        "step": steps(run, batches, ready.tokenizer.vocabulary.size, s.steps),
        "others": {name: seconds for name, (_, seconds) in others.items()},
        "tokens": {name: tokens for name, (tokens, _) in others.items()},
    }
    print(json.dumps(document))


def run_of(s: Collation, corpus: tuple[str, dict[str, Any]], objective: ObjectiveEntry) -> Run:
    """A run that learns with the objective: BERT's if it can, else some model's that does."""
    pair = objective.stage == "pair"
    models = [MODELS["bert"], *MODELS]
    model = next(each for each in models if fits(each, objective))
    sizes = {"context": s.context, "depth": s.depth, "width": s.width, "heads": s.heads}
    return Run(
        model=model.name,
        shape={name: size for name, size in sizes.items() if name in model.settings.knobs()},
        objective="mlm" if pair else objective.name,
        pair=objective.name if pair else None,
        corpus=corpus[0],
        corpus_settings=corpus[1],
        tokenizer="byte_bpe",
        tokenizer_settings={"vocabulary": s.vocabulary},
        training={"steps": 1, "batch": s.batch, "threads": s.threads},
    )


def by_turns(feed: Batches, batches: list[Batch], s: Collation) -> tuple[dict[str, list[float]], dict[str, float]]:
    """The seconds of each batch in both arms, and the share of tokens that each asked for."""
    vocabulary = feed.vocabulary
    rows = [torch.from_numpy(undisturbed(batch)) for batch in batches]
    made = collator(vocabulary.specials, vocabulary.size)
    lists = [examples(each, {*vocabulary.specials.values()}) for each in rows]
    arrays = [[{name: np.array(cells) for name, cells in row.items()} for row in rows_] for rows_ in lists]
    first = [timed(lambda kind=kind: made(kind[0])) for kind in (lists, arrays) for _ in range(3)]  # type: ignore[misc]
    rival = lists if min(first[:3]) <= min(first[3:]) else arrays
    seconds: dict[str, list[float]] = {"ours": [], "peer": []}
    labels: list[torch.Tensor] = []
    for step in range(s.rounds):
        for arm in ("ours", "peer") if step % 2 else ("peer", "ours"):
            make: Callable[[], Any] = {
                "ours": lambda step=step: feed.batch(step, s.batch),
                "peer": lambda step=step: labels.append(made(rival[step])["labels"]),
            }[arm]
            seconds[arm].append(timed(make))
    ordinary = sum(int((~vocabulary.is_special(each.numpy())).sum()) for each in rows)
    ours = sum(len(batch.asked) for batch in batches if batch.asked is not None)
    peer = sum(int((each != -100).sum()) for each in labels)
    return seconds, {"ours": ours / ordinary, "peer": peer / ordinary}


def of(
    objective: ObjectiveEntry, ready: Prepared, s: Collation, corpus: tuple[str, dict[str, Any]]
) -> tuple[int, list[float]]:
    """How many tokens of text a batch of the objective takes, and the seconds of each."""
    run = run_of(s, corpus, objective)
    tokenizer = marked(ready.tokenizer, OBJECTIVES[run.objective])
    feed = Batches(run, ready.train, counted(run, ready.train, tokenizer.vocabulary))
    feed.batch(0, s.batch)  # which tables are made for
    seconds = [timed(lambda step=step: feed.batch(step, s.batch)) for step in range(s.rounds)]  # type: ignore[misc]
    return s.batch * feed.room, seconds


def steps(run: Run, batches: list[Batch], vocabulary: int, count: int) -> list[float]:
    """The seconds of each training step of the run's model: forward, backward, AdamW."""
    model = build(replace(run, training={"steps": 1}), vocabulary, 0)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step(batch: Batch) -> None:
        loss = torch.stack(list(losses(model(batch), batch).values())).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return [timed(lambda n=n: step(batches[n % len(batches)])) for n in range(count + 1)][1:]  # type: ignore[misc]


def timed(work: Callable[[], object]) -> float:
    """The seconds that it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
