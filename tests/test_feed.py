"""Every objective as a run reads it: a batch is a function of the run and its number, whoever asks for it and when."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from test_data import WORDS, same, stream
from tiny import plan

from lab.batch import Batch
from lab.catalog import MODELS, OBJECTIVES, fits
from lab.data.batches import Batches
from lab.runs.run import PACKINGS
from lab.vocabulary import Vocabulary

STEPS, ROWS = 6, 4
TOKEN = [entry.name for entry in OBJECTIVES if entry.stage == "token"]
PAIR = [entry.name for entry in OBJECTIVES if entry.stage == "pair"]
READ = [(name, None, packing) for name in TOKEN for packing in PACKINGS] + [("mlm", name, PACKINGS[0]) for name in PAIR]


def feed(objective: str, pair: str | None, packing: str, **other: Any) -> Batches:
    """The batches of a run of the first model that can take the objective."""
    asked = [OBJECTIVES[each] for each in (objective, pair) if each]
    model = next(entry.name for entry in MODELS if all(fits(entry, each) for each in asked))
    marks = {name: WORDS.size + n for n, name in enumerate(asked[0].packing.special_tokens)}
    known = Vocabulary(size=WORDS.size + len(marks), specials={**WORDS.specials, **marks})
    run = plan(model=model, objective=objective, pair=pair, training={"steps": 1, "packing": packing}, **other)
    return Batches(run, stream(400), known)


@pytest.mark.parametrize(("objective", "pair", "packing"), READ)
def test_neither_the_order_of_batches_nor_the_number_of_workers_changes_any(
    objective: str, pair: str | None, packing: str
) -> None:
    one_by_one = [feed(objective, pair, packing).batch(step, ROWS) for step in range(STEPS)]
    shared = feed(objective, pair, packing)
    backwards = [shared.batch(step, ROWS) for step in reversed(range(STEPS))][::-1]
    shared = feed(objective, pair, packing)
    with ThreadPoolExecutor(3) as workers:
        at_once = [*workers.map(lambda step: shared.batch(step, ROWS), range(STEPS))]
    for other in (backwards, at_once):
        assert all(same(*both) for both in zip(one_by_one, other, strict=True))
    assert not same(one_by_one[0], one_by_one[1])


@pytest.mark.parametrize(("objective", "pair", "packing"), READ)
def test_a_row_is_the_same_in_a_batch_of_any_size(objective: str, pair: str | None, packing: str) -> None:
    large, small = feed(objective, pair, packing).batch(0, 2 * ROWS), feed(objective, pair, packing).batch(1, ROWS)
    assert parts(large)[ROWS:] == parts(small)


def parts(batch: Batch) -> list[list[Any]]:
    """What each row shows and asks, without padding."""
    found = []
    for n, row in enumerate(batch.shown):
        real = torch.ones_like(row, dtype=torch.bool) if batch.real is None else batch.real[n]
        told: list[Any] = [row[real].tolist()]
        if batch.asked is not None and batch.answers is not None:
            own = batch.asked // batch.shown.shape[1] == n
            told += [(batch.asked[own] % batch.shown.shape[1]).tolist(), batch.answers[own].tolist()]
        if batch.source is not None:
            told.append(batch.source[n][... if batch.source_real is None else batch.source_real[n]].tolist())
        found.append([*told, None if batch.label is None else int(batch.label[n])])
    return found
