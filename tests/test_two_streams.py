"""Two streams: what is asked is never seen by what answers, and what need not be computed is not.

B batch   T tokens   M tokens remembered   N asked positions   W width
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from lab.batch import Batch, Exercise, collate
from lab.inference.probe import watching
from lab.layers.partial import by_row
from lab.layers.positions import sinusoids
from lab.layers.relative import Look, RelativeAttention, aligned
from lab.layers.two_streams import TwoStreamModel
from lab.layers.watch import looking
from lab.models.xlnet import XlnetShape, xlnet
from lab.noise import Dice
from lab.objectives.permutation import Permutation, permutation
from lab.vocabulary import SPECIALS, Vocabulary

WORDS = Vocabulary(size=60, specials={name: number for number, name in enumerate(SPECIALS)})
ROWS, TOKENS, DEPTH = 3, 20, 3


@pytest.fixture(scope="module")
def model() -> TwoStreamModel:
    torch.manual_seed(3)
    built = xlnet(XlnetShape(width=16, depth=DEPTH, heads=2, context=TOKENS, memory=4), WORDS.size).eval()
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return built


def exercise(ids: np.ndarray | None = None, every: int = 3) -> Exercise:
    ids = np.random.default_rng(0).integers(6, WORDS.size, (ROWS, TOKENS)) if ids is None else ids
    ids[:, -2:] = WORDS.separate, WORDS.begin
    return permutation(ids, Permutation(every=every), WORDS, Dice(0, np.arange(ROWS)))


def batch() -> Batch:
    """Rows in an order, with what stands before them."""
    before = torch.randint(6, WORDS.size, (ROWS, 4), generator=torch.Generator().manual_seed(2))
    return replace(collate(exercise()), before=before)


@torch.no_grad()
def tokens(model: TwoStreamModel, read: Batch) -> Tensor:
    found: Tensor = model(read).tokens
    return found


def test_no_answer_depends_on_what_comes_in_the_same_turn_or_later(model: TwoStreamModel) -> None:
    """Token after token is changed: the answers that notice are those of a later turn."""
    made = exercise()
    assert made.order is not None
    read = replace(batch(), visible=torch.from_numpy(made.table()))
    plain, row, place = tokens(model, read), *np.nonzero(made.asked)
    for t in range(TOKENS):
        shown = read.shown.clone()
        shown[:, t] = 6 + (shown[:, t] - 5) % 50
        noticed = (tokens(model, replace(read, shown=shown)) - plain).abs().amax(1).numpy()  # (N,)
        earlier = made.order[row, t] < made.order[row, place]
        assert (noticed[~earlier] == 0).all(), t
        assert (noticed[earlier] > 1e-6).all(), t


def test_an_answer_knows_its_place(model: TwoStreamModel) -> None:
    read = batch()
    row = read.asked // TOKENS == 0
    answers = tokens(model, read)[row]
    assert torch.cdist(answers, answers).fill_diagonal_(1).min() > 1e-2


def test_who_may_see_nobody_answers_all_the_same(model: TwoStreamModel) -> None:
    """A row of which everything is asked at once, with nothing remembered: no token sees any other."""
    shown = torch.tensor([[7, 8, 9]])
    alone = Batch(
        shown=shown,
        visible=torch.eye(3, dtype=torch.bool),
        order=torch.zeros(1, 3, dtype=torch.int64),
        asked=torch.arange(3),
    )
    got = tokens(model, alone)
    assert got.isfinite().all()
    assert torch.equal(got, tokens(model, replace(alone, shown=shown + 20)))
    with watching(model):
        torch.testing.assert_close(tokens(model, alone), got, rtol=0, atol=1e-5)
    model(alone).tokens.sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
    model.zero_grad()


def test_asking_for_fewer_gives_the_same_answers(model: TwoStreamModel) -> None:
    read = batch()
    every = tokens(model, read)
    some = torch.tensor([4, 0, 9, 4])
    torch.testing.assert_close(tokens(model, replace(read, asked=read.asked[some])), every[some], rtol=0, atol=1e-5)


def test_to_watch_changes_no_answer_and_shows_both_streams(model: TwoStreamModel) -> None:
    read = batch()
    with watching(model) as seen:
        watched = tokens(model, read)
    torch.testing.assert_close(watched, tokens(model, read), rtol=0, atol=1e-5)
    most = int(torch.bincount(read.asked // TOKENS).max())
    remembering = DEPTH - 1  # the last block's reading of what stands before is not needed
    assert [each.shape[2:] for each in seen.maps[:remembering]] == [(4, 4)] * remembering
    assert [each.shape[2:] for each in seen.maps[remembering:]] == [(TOKENS, TOKENS + 4), (most, TOKENS + 4)] * DEPTH
    assert len(seen.hidden) == DEPTH + 1


def test_what_stands_before_the_row_matters_and_gets_no_gradient(model: TwoStreamModel) -> None:
    read = batch()
    other = replace(read, before=read.before.flip(1))
    assert (tokens(model, read) - tokens(model, other)).abs().max() > 1e-3
    assert (tokens(model, read) - tokens(model, replace(read, before=None))).abs().max() > 1e-3
    table = model.stack.embed.tokens.weight
    only = replace(read, before=torch.full_like(read.before, 5))  # an id that stands nowhere in the rows
    (gradient,) = torch.autograd.grad(model.stack.both(only, whole=True)[0].sum(), table)
    assert not gradient[5].any() and gradient[only.shown[0, 0]].any()


def test_asked_positions_are_gathered_by_row() -> None:
    places, row, slot = by_row(torch.tensor([9, 1, 3, 13, 1]), 4, 5)
    assert places.tolist() == [[1, 3, 1], [4, 0, 0], [3, 0, 0], [0, 0, 0]]
    assert row.tolist() == [1, 0, 0, 2, 0] and slot.tolist() == [0, 0, 1, 0, 2]


def test_scores_by_distance_find_their_tokens_by_hand() -> None:
    """Two tokens look at three, of which one is remembered: the distances are 3, 2, 1, 0, -1."""
    scores = torch.tensor([[[[3.0, 2.0, 1.0, 0.0, -1.0], [13.0, 12.0, 11.0, 10.0, 9.0]]]])
    assert aligned(scores, 3).tolist() == [[[[1.0, 0.0, -1.0], [12.0, 11.0, 10.0]]]]


def test_waves_by_hand() -> None:
    got = sinusoids(torch.tensor([0, 2, -2]), 4)
    wanted = [[0, 0, 1, 1], [0.909297, 0.0199987, -0.416147, 0.9998], [-0.909297, -0.0199987, -0.416147, 0.9998]]
    torch.testing.assert_close(got, torch.tensor(wanted), rtol=0, atol=1e-6)
    assert sinusoids(torch.arange(3), 5).shape == (3, 5)
    rows = torch.tensor([[0, 2], [0, -2]])
    assert torch.equal(sinusoids(rows, 4), torch.stack([sinusoids(row, 4) for row in rows]))


def test_one_head_by_hand() -> None:
    """Everything is zero but the biases of distance and segment: the map is their softmax alone."""
    part = RelativeAttention(2, 1)
    with torch.no_grad():
        for parameter in part.parameters():
            parameter.zero_()
        part.distance.weight.copy_(torch.eye(2))
        part.distance_bias.fill_(1.0)
        part.segment_bias.fill_(1.0)
        part.segments.weight[1] = torch.tensor([0.5, 0.5])
    x = torch.zeros(1, 2, 2)
    read = part.read(x, sinusoids(torch.tensor([2, 1, 0, -1]), 2))
    apart = torch.tensor([[[[False, True], [True, False]]]])
    seen: list[Tensor] = []
    with looking({part.watch: seen.append}):
        part(x, Look(read=read, apart=apart))
    score = {d: (np.sin(d) + np.cos(d)) / 2**0.5 for d in (-1, 0, 1)}
    other = 1 / 2**0.5
    rows = np.array([[score[0], score[-1] + other], [score[1] + other, score[0]]])
    wanted = np.exp(rows) / np.exp(rows).sum(1, keepdims=True)
    np.testing.assert_allclose(seen[0][0, 0].detach().numpy(), wanted, atol=1e-6)
