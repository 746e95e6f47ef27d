"""word2vec's loss and gradients are those of the formula, summed pair by pair in an independent few lines.

B batch   T tokens   W width   V vocabulary
"""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from oracle import randomise
from tiny import finished, go_on, plan, steps
from torch import Tensor

from lab.batch import Batch, losses
from lab.bench.faulting.outcome import outcome
from lab.inference.model import load
from lab.inference.predict import fill
from lab.layers.static import Noise
from lab.models.word2vec import NeighbourPredictor, Word2vecShape, word2vec
from lab.runs.folder import RunFolder
from lab.training.train import train
from lab.vocabulary import Vocabulary

SIZE, WIDTH, K = 11, 6, 4


@pytest.fixture(params=["skip-gram", "cbow"])
def method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def built(method: str) -> NeighbourPredictor:
    model = word2vec(Word2vecShape(width=WIDTH, method=method, negatives=K), SIZE).double()
    randomise(model)
    return model


def batch() -> Batch:
    dice = torch.Generator().manual_seed(4)
    shown = torch.randint(0, SIZE, (2, 7), generator=dice)
    table = torch.rand(2, 7, 7, generator=dice) < 0.4
    table[:, torch.arange(7), torch.arange(7)] = False
    asked = table.any(-1).flatten().nonzero()[:, 0]
    return Batch(shown=shown, visible=table, asked=asked, answers=shown.flatten()[asked])


def pairs(given: Batch, method: str, vectors: Tensor) -> Iterator[tuple[Tensor, int]]:
    """What predicts, and the token in the middle, in the order of the text."""
    assert given.asked is not None and isinstance(given.visible, Tensor)
    for place in given.asked.tolist():
        row, t = divmod(place, 7)
        around = [vectors[given.shown[row, s]] for s in range(7) if given.visible[row, t, s]]
        for vector in around if method == "skip-gram" else [torch.stack(around).mean(0)]:
            yield vector, int(given.shown[row, t])


def test_the_loss_and_its_gradients_are_those_of_the_formula(method: str) -> None:
    model, given = built(method), batch()
    torch.manual_seed(3)
    mine = losses(model(given), given)["tokens"]
    inner = model.embed.tokens.weight
    outer = model.head.weight
    wanted = [*pairs(given, method, inner)]
    torch.manual_seed(3)
    noise = model.noise.draw(len(wanted), K).tolist()
    assert any(token in drawn for (_, token), drawn in zip(wanted, noise, strict=True))  # noise that hits is left out
    terms = []
    for (vector, token), drawn in zip(wanted, noise, strict=True):
        terms.append(-torch.log(torch.sigmoid(vector @ outer[token])))
        terms += [-torch.log(torch.sigmoid(-(vector @ outer[other]))) for other in drawn if other != token]
    theirs = torch.stack(terms).sum() / len(wanted)
    assert mine.item() == pytest.approx(theirs.item(), abs=1e-12)
    for one, two in zip(*(torch.autograd.grad(each, [inner, outer]) for each in (mine, theirs)), strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=1e-12)


def test_a_trained_score_is_the_mean_around_times_the_table_plus_the_noise(method: str) -> None:
    model, given = built(method).eval(), batch()
    found = model(given).tokens
    by_place = {}
    for (vector, _), place in zip(pairs(given, "cbow", model.embed.tokens.weight), given.asked.tolist(), strict=True):  # type: ignore[union-attr]
        by_place[place] = model.head.weight @ vector - math.log(SIZE)
    torch.testing.assert_close(found, torch.stack([*by_place.values()]), rtol=0, atol=1e-6)


def test_padding_and_the_token_itself_are_not_looked_at(method: str) -> None:
    model = built(method).eval()
    real = torch.tensor([[True] * 4 + [False] * 2])
    shown = torch.tensor([[1, 2, 3, 4, 5, 6]])
    other = torch.tensor([[1, 9, 3, 4, 7, 7]])
    one, two = (model(Batch(shown=each, real=real, asked=torch.tensor([1]))).tokens for each in (shown, other))
    assert torch.equal(one, two)


def test_noise_comes_by_count_to_the_power_three_quarters() -> None:
    noise = Noise(4)
    noise.meet(Vocabulary(4, {}, counts=np.array([0, 1, 16, 81])))
    assert noise.weights.tolist() == [0, 1, 8, 27]
    torch.manual_seed(0)
    drawn = torch.bincount(noise.draw(5000, 4).flatten(), minlength=4) / 20_000
    assert drawn.tolist() == pytest.approx([0, 1 / 36, 8 / 36, 27 / 36], abs=0.015)


def test_it_starts_as_published() -> None:
    model = word2vec(Word2vecShape(width=50), 400)
    vectors = model.embed.tokens.weight.detach()
    assert not model.head.weight.any()
    assert float(vectors.min()) < -0.0099 and float(vectors.max()) > 0.0099 and float(vectors.abs().max()) <= 0.01


def test_it_learns_the_town_and_fills_gaps(method: str, tmp_path: object) -> None:
    shape = {"width": 32, "context": 32, "method": method}
    run = finished(tmp_path, model="word2vec", shape=shape, training=steps(250, batch=16))  # type: ignore[arg-type]
    trained = load(run)
    begun = run.document("result.json")["validation"]["loss"]
    assert begun < math.log(300) - 0.5
    assert len(fill(trained, "the [MASK] in", best=3)[0]) == 3
    assert float(trained.model.noise.weights.max()) > 10  # type: ignore[union-attr, arg-type]


def test_noise_is_drawn_on_where_training_was_stopped(tmp_path) -> None:  # type: ignore[no-untyped-def]
    whole, cut = (RunFolder.create(plan(model="word2vec", training=steps(8)), tmp_path / name) for name in ("a", "b"))
    for _ in train(whole):
        pass
    go_on(str(cut.path), until=3)
    go_on(str(cut.path))
    assert outcome(whole) == outcome(cut)
