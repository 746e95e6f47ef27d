"""The n-gram is interpolated Kneser-Ney: as worked out by hand, and as an independent few lines have it.

N asked positions   T tokens   V vocabulary
"""

import json
import math
from collections import Counter
from pathlib import Path

import pytest
import torch
from oracle import step_by_step
from tiny import go_on, plan, steps
from torch import Tensor

from lab.batch import Batch
from lab.bench.faulting.outcome import outcome
from lab.inference.decoding import generate
from lab.inference.model import load
from lab.models.ngram import Counted, NgramShape, ngram
from lab.runs.folder import RunFolder
from lab.runs.pack import pack
from lab.training.evaluate import evaluate
from lab.training.train import train

SIZE = 7


def taught(order: int, *batches: list[list[int]], size: int = SIZE) -> Counted:
    model = ngram(NgramShape(order=order), size)
    for rows in batches:
        model.count(Batch(shown=torch.tensor(rows), visible="causal"))
    return model


def told(model: Counted, row: list[int]) -> Tensor:
    """The probabilities of the token behind the row: (V,)."""
    shown = torch.tensor([row])
    return model(Batch(shown=shown, visible="causal", asked=torch.tensor([len(row) - 1]))).tokens[0].exp()


def by_definition(rows: list[list[int]], order: int, history: list[int], token: int, size: int) -> float:
    """The formula, term by term, from counters of tuples."""
    seen = [Counter(tuple(row[i : i + n]) for row in rows for i in range(len(row) - n + 1)) for n in range(order + 2)]

    def counts(n: int) -> Counter[tuple[int, ...]]:
        return seen[n] if n == order else Counter(gram[1:] for gram in seen[n + 1])

    def probability(before: tuple[int, ...]) -> float:
        n = len(before) + 1
        below = 1 / size if n == 1 else probability(before[1:])
        own = counts(n)
        values = [own[gram] for gram in own]
        once, twice = values.count(1), values.count(2)
        discount = once / (once + 2 * twice) if once and twice else 0.5
        after = [own[gram] for gram in own if gram[:-1] == before]
        if not after:
            return below
        return (max(own[(*before, token)] - discount, 0) + discount * len(after) * below) / sum(after)

    return probability(tuple(history[max(0, len(history) - order + 1) :]) if order > 1 else ())


def test_a_bigram_is_what_one_works_out_on_paper() -> None:
    """Rows "0 1 0 2" and "0 1": pairs 01 twice, 10 and 02 once. Discount for pairs 2 / (2 + 2 * 1) = 1/2. Before 0
    stood {1}, before 1 {0}, before 2 {0}: each once of 3, discount 1/2 for want of any seen behind two.
    P(0) = P(1) = P(2) = (1 - 1/2) / 3 + 1/2 * 3 / 3 * 1/4 = 7/24; P(1 | 0) = (2 - 1/2) / 3 + 1/2 * 2 / 3 * 7/24."""
    model = taught(2, [[0, 1, 0, 2]], [[0, 1]], size=4)
    assert told(model, [0]).tolist() == pytest.approx(
        [1 / 3 * 7 / 24, 1.5 / 3 + 1 / 3 * 7 / 24, 0.5 / 3 + 1 / 3 * 7 / 24, 1 / 3 * 1 / 8]
    )
    assert told(model, [3]).tolist() == pytest.approx([7 / 24, 7 / 24, 7 / 24, 1 / 8])


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_every_probability_is_that_of_the_definition_and_they_sum_to_one(order: int) -> None:
    dice = torch.Generator().manual_seed(order)
    rows = (torch.rand(12, 9, generator=dice) ** 2 * SIZE).long().tolist()
    model = taught(order, rows[:5], rows[5:6], rows[6:])
    for history in (rows[0][:4], rows[7][2:7], [6, 6, 6], [2], [0, 0]):
        found = told(model, history)
        wanted = [by_definition(rows, order, history, token, SIZE) for token in range(SIZE)]
        assert found.tolist() == pytest.approx(wanted, abs=1e-6)
        assert float(found.sum()) == pytest.approx(1, abs=1e-6)


def test_a_sequence_is_counted_the_same_in_whatever_batches_it_comes() -> None:
    rows = torch.randint(0, SIZE, (9, 11), generator=torch.Generator().manual_seed(0)).tolist()
    one, many = taught(4, rows), taught(4, rows[:2], rows[2:3], rows[3:])
    for history in ([1, 2, 3], rows[4][:6]):
        assert torch.equal(told(one, history), told(many, history))


def test_before_it_has_counted_it_holds_all_tokens_as_likely() -> None:
    assert told(ngram(NgramShape(order=3), 5), [1, 2]).tolist() == pytest.approx([0.2] * 5)


def test_what_comes_later_changes_nothing() -> None:
    model = taught(3, [[0, 1, 2, 3, 1, 2, 4]])
    asked = torch.arange(4)
    one, two = (
        model(Batch(shown=torch.tensor([[0, 1, 2, 3, last]]), visible="causal", asked=asked)).tokens for last in (1, 5)
    )
    assert torch.equal(one, two)


def test_carrying_the_last_tokens_on_gives_what_reading_again_gives() -> None:
    model = taught(4, [[0, 1, 2, 3, 1, 2, 4, 5, 0, 1, 2, 3]])
    rows = torch.tensor([[0, 1, 2, 3, 1, 2, 4], [4, 5, 0, 1, 2, 2, 2]])
    whole = model(Batch(shown=rows, visible="causal", asked=torch.arange(14))).tokens.view(2, 7, -1)[:, 1:]
    assert torch.allclose(step_by_step(model, rows, 2), whole)  # type: ignore[arg-type]


def test_an_ngram_of_the_town_beats_the_bigram_and_reads_its_text_once(tmp_path: Path) -> None:
    corpus = {"stories": 100}
    training = steps(10_000, batch=32)
    run = plan(model="ngram", shape={"order": 4, "context": 64}, corpus_settings=corpus, training=training)
    folder = RunFolder.create(run, tmp_path / "run")
    taken = [step.tokens for step in train(folder)]
    rows = next(r for r in map(json.loads, (folder.path / "metrics.jsonl").open()) if r["kind"] == "begin")["rows"]
    assert len(taken) == math.ceil(rows / 32) and taken[-1] == rows * 64
    trained = load(folder)
    assert isinstance(trained.model, Counted) and int((trained.model.grams.lengths == 4).sum()) > 1000
    found = evaluate(trained, folder)
    assert found["loss"] < 0.9 * found["baselines"]["bigram"]
    assert [*generate(trained, "The", [("greedy", {})], tokens=3)]
    packed = load(pack(folder, tmp_path / "packed"))
    assert told(packed.model, [9, 8]).tolist() == told(trained.model, [9, 8]).tolist()  # type: ignore[arg-type]


def test_counting_goes_on_where_it_was_stopped_with_the_same_counts(tmp_path: Path) -> None:
    whole, cut = (RunFolder.create(plan(model="ngram", training=steps(9)), tmp_path / name) for name in ("a", "b"))
    for _ in train(whole):
        pass
    go_on(str(cut.path), until=4)
    go_on(str(cut.path))
    assert outcome(whole) == outcome(cut)
