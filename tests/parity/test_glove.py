"""GloVe's loss and gradients are those of the paper's sum over the table, written out in an independent few lines.

B batch   T tokens   W width   V vocabulary
"""

import math
from collections import Counter

import numpy as np
import pytest
import torch
from oracle import randomise
from tiny import finished, go_on, plan, steps
from torch import Tensor

from lab.batch import Batch, collate, losses
from lab.bench.faulting.outcome import outcome
from lab.inference.model import load
from lab.inference.neighbours import directions
from lab.inference.predict import fill
from lab.models.glove import GloveShape, PairPredictor, glove
from lab.noise import Dice
from lab.objectives.cooccurrence import Cooccurrence, cooccurrence, count_cooccurrences
from lab.runs.folder import RunFolder
from lab.training.train import train
from lab.vocabulary import Vocabulary

SIZE, END = 9, 8
KNOWN = Vocabulary(SIZE, {"[END]": END})
REACH = Cooccurrence(reach=3)


def built(ids: list[int], **shape: float) -> tuple[PairPredictor, Batch]:
    """A model that has met the text, and the text as one row."""
    model = glove(GloveShape(width=4, **shape), SIZE).double()  # type: ignore[arg-type]
    model.table.meet(Vocabulary(SIZE, {"[END]": END}, cooccurrences=count_cooccurrences(np.array(ids), REACH, KNOWN)))
    randomise(model)
    return model, collate(cooccurrence(np.array([ids]), REACH, KNOWN, Dice(0)))


def counts(ids: list[int]) -> Counter[tuple[int, int]]:
    """The table, token by token."""
    found: Counter[tuple[int, int]] = Counter()
    for at, one in enumerate(ids):
        for apart in range(1, 4):
            if at + apart >= len(ids) or END in ids[at : at + apart + 1]:
                break
            for pair in ((one, ids[at + apart]), (ids[at + apart], one)):
                found[pair] += 1 / apart  # type: ignore[assignment]
    return found


def papers_sum(model: PairPredictor, ids: list[int], most: float, power: float) -> Tensor:
    """Equation 8, over the number of pairs in the table."""
    inner, outer, head = model.embed.tokens.weight, model.head.weight, model.head
    terms = [
        min(1, (x / most) ** power) * (outer[i] @ inner[j] + head.bias[i] + head.other[j] - math.log(x)) ** 2
        for (i, j), x in counts(ids).items()
    ]
    return torch.stack(terms).mean()


@pytest.mark.parametrize(("most", "power"), [(100.0, 0.75), (2.0, 0.75), (3.0, 0.5)])
def test_the_loss_over_a_text_and_its_gradients_are_the_papers(most: float, power: float) -> None:
    ids = [0, 1, 2, 1, 0, 3, END, 4, 5, 4, 4, 1, 0, END, 6, 0, 1]
    model, batch = built(ids, most=most, power=power)
    mine, theirs = losses(model(batch), batch)["tokens"], papers_sum(model, ids, most, power)
    assert mine.item() == pytest.approx(theirs.item(), rel=1e-6)
    for one, two in zip(*(torch.autograd.grad(each, [*model.parameters()]) for each in (mine, theirs)), strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=1e-7)


def test_two_words_by_hand() -> None:
    """They meet once, so that each weighs (1 / 100) ** 0.75; one pair is wrong by 2.5 and the other by 0.5."""
    model, batch = built([0, 1])
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.embed.tokens.weight[0] = torch.tensor([1.0, 2.0, 0.0, 0.0])
        model.head.weight[1] = torch.tensor([0.0, 1.0, 0.0, 0.0])
        model.head.bias[1] = model.head.other[1] = 0.5
    loss = losses(model(batch), batch)["tokens"]
    weight = 0.0316227766
    assert loss.item() == pytest.approx(weight * (2.5**2 + 0.5**2) / 2)
    loss.backward()
    assert model.head.weight.grad[1].tolist() == pytest.approx([weight * 2.5, weight * 5, 0, 0])  # type: ignore[index]
    assert model.head.bias.grad[:2].tolist() == pytest.approx([weight * 0.5, weight * 2.5])  # type: ignore[index]
    assert model.head.other.grad[:2].tolist() == pytest.approx([weight * 2.5, weight * 0.5])  # type: ignore[index]


def test_a_pair_that_was_never_counted_weighs_nothing() -> None:
    model, _ = built([0, 1])
    batch = Batch(shown=torch.tensor([[0, 2]]), asked=torch.tensor([0, 1]), answers=torch.tensor([0, 2]))
    assert losses(model(batch), batch)["tokens"].item() == 0


def test_a_gap_is_scored_by_the_mean_of_what_stands_around_it() -> None:
    model, _ = built([0, 1])
    model.eval()
    row = torch.tensor([[3, 7, 5]])
    found = model(Batch(shown=row, asked=torch.tensor([1]))).tokens[0]
    mean = (model.embed.tokens.weight[3] + model.embed.tokens.weight[5]) / 2
    torch.testing.assert_close(found, model.head.weight @ mean + model.head.bias)


def test_it_starts_as_published() -> None:
    values = torch.cat([p.detach().flatten() for p in glove(GloveShape(width=50), 400).parameters()])
    assert float(values.abs().max()) <= 0.01 and float(values.std()) == pytest.approx(0.01 / 3**0.5, rel=0.02)


def test_it_learns_the_town_and_its_vectors_are_the_sum_of_both_sides(tmp_path) -> None:  # type: ignore[no-untyped-def]
    shape = {"width": 32, "context": 32}
    run = finished(tmp_path, model="glove", shape=shape, training=steps(200, batch=16))
    trained, result = load(run), run.document("result.json")["validation"]
    assert result["loss"] < math.log(300) - 0.5
    assert len(fill(trained, "the [MASK] in", best=3)[0]) == 3
    both = trained.model.embed.tokens.weight + trained.model.head.weight  # type: ignore[union-attr, operator]
    torch.testing.assert_close(directions(trained), torch.nn.functional.normalize(both.detach(), dim=-1))  # type: ignore[attr-defined]


def test_what_was_counted_is_counted_again_where_training_was_stopped(tmp_path) -> None:  # type: ignore[no-untyped-def]
    whole, cut = (RunFolder.create(plan(model="glove", training=steps(8)), tmp_path / name) for name in ("a", "b"))
    for _ in train(whole):
        pass
    go_on(str(cut.path), until=3)
    go_on(str(cut.path))
    assert outcome(whole) == outcome(cut)
