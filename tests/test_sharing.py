"""Gradient-disentangled sharing: both networks read one table, and each moves a part of its own.

B batch   T tokens   W width   V vocabulary
"""

import pytest
import torch
from torch import nn
from torch.nn import functional

from lab.batch import Batch, losses
from lab.layers.discriminator import Discriminator
from lab.layers.heads import BesideFirst
from lab.layers.offset import Offset
from lab.models.deberta_v3 import WEIGHT, DebertaV3Shape, deberta_v3

VOCABULARY = 40


@pytest.fixture
def model() -> Discriminator:
    torch.manual_seed(2)
    shape = DebertaV3Shape(width=16, depth=2, heads=2, generator_depth=1, context=12, buckets=8)
    return deberta_v3(shape, VOCABULARY).eval()


@pytest.fixture
def batch() -> Batch:
    shown = torch.randint(6, VOCABULARY, (2, 9), generator=torch.Generator().manual_seed(1))
    return Batch(shown=shown, asked=torch.tensor([1, 4, 12]), answers=torch.tensor([7, 8, 9]))


def test_the_second_table_is_the_first_plus_its_own_and_learns_only_that() -> None:
    base = nn.Embedding(3, 2)
    with torch.no_grad():
        base.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    table = Offset(base)
    assert torch.equal(table(torch.tensor([2, 0])), base.weight[[2, 0]])  # at the start they are the same
    with torch.no_grad():
        table.own[2] = torch.tensor([0.5, -1.0])
    read = table(torch.tensor([2, 2, 0]))
    assert read.tolist() == [[5.5, 5.0], [5.5, 5.0], [1.0, 2.0]]
    assert table.weight.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.5, 5.0]]
    read.sum().backward()
    assert table.own.grad is not None and table.own.grad.tolist() == [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]
    assert base.weight.grad is None


def test_what_finds_moves_nothing_of_what_fills_and_the_other_way_round(model: Discriminator, batch: Batch) -> None:
    assert model.generator is not None and isinstance(model.stack.embed.tokens, Offset)
    parts = losses(model(batch), batch)
    names, parameters = zip(*model.named_parameters(), strict=True)
    found, filled = (
        torch.autograd.grad(parts[part], parameters, allow_unused=True, retain_graph=True)
        for part in ("detection", "tokens")
    )
    of_generator = {id(parameter) for parameter in model.generator.parameters()}
    assert id(model.stack.embed.tokens.base.weight) in of_generator
    for name, parameter, one, two in zip(names, parameters, found, filled, strict=True):
        assert (one is None) == (id(parameter) in of_generator), name
        assert (two is None) == (id(parameter) not in of_generator), name


def test_the_discriminator_is_asked_about_every_token_beside_the_first(model: Discriminator, batch: Batch) -> None:
    """Worked out again from the guesses: shares of the loss, and a head of one norm and two maps."""
    output = model(batch)
    guessed, replaced = model.fill(batch, output.tokens)
    x = model.stack(guessed)
    head = model.head
    assert isinstance(head, BesideFirst)
    scores = [
        head.out(functional.gelu(head.dense(head.norm(x[row, place] + x[row, 0]))))
        for row in (0, 1)
        for place in range(9)
    ]
    chances = torch.sigmoid(torch.cat(scores))
    truth = replaced.flatten().float()
    loss = -(truth * chances.log() + (1 - truth) * (1 - chances).log()).mean()
    torch.testing.assert_close(output.parts["detection"], WEIGHT * loss)


def test_the_sum_of_both_tables_makes_a_discriminator_by_itself(model: Discriminator, batch: Batch) -> None:
    with torch.no_grad():
        model.stack.embed.tokens.own.normal_(std=0.1)
    shape = DebertaV3Shape(width=16, depth=2, heads=2, context=12, buckets=8, half="discriminator")
    alone = deberta_v3(shape, VOCABULARY).eval()
    kept = {name: value for name, value in model.state_dict().items() if name in alone.state_dict()}
    alone.load_state_dict(kept | {"stack.embed.tokens.weight": model.stack.embed.tokens.weight})
    torch.testing.assert_close(alone.head(alone.stack(batch)), model.head(model.stack(batch)))
