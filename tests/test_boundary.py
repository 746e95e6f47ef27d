"""What is hidden, asked a second time of its two neighbours: a case by hand, a slow reading of the paper, SpanBERT.

B batch   T tokens   W width   V vocabulary
"""

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from lab.batch import Batch, losses
from lab.layers.span_boundary import PLACES, BoundaryHead, BoundaryStack, beside
from lab.models.bert import BertShape, bert
from lab.models.spanbert import spanbert

VOCABULARY, T = 40, 12
SHAPE = BertShape(width=16, depth=2, heads=2, context=32)


@pytest.fixture
def model() -> BoundaryStack:
    torch.manual_seed(1)
    made = spanbert(SHAPE, VOCABULARY).eval()
    with torch.no_grad():
        for parameter in made.parameters():  # no bias stays at zero, no norm at one
            parameter.add_(0.1 * torch.randn(parameter.shape))
    return made


def batch(*rows: list[int], real: Tensor | None = None, tokens: int = T) -> Batch:
    """Any text, asked at these places of its rows."""
    draw = torch.Generator().manual_seed(2)
    asked = torch.tensor([tokens * row + place for row, places in enumerate(rows) for place in places])
    shown = torch.randint(6, VOCABULARY, (len(rows), tokens), generator=draw)
    answers = torch.randint(6, VOCABULARY, (len(asked),), generator=draw)
    return Batch(shown=shown, asked=asked, answers=answers, real=real)


def test_spans_by_hand() -> None:
    # [CLS] . . X X . X . . X X [SEP] and [CLS] X . . X X X X . . . [SEP]
    given = batch([3, 4, 6, 9, 10], [1, 4, 5, 6, 7])
    found = beside(given.asked, torch.tensor([T, T]), T)
    assert found.asked.tolist() == [True, True, True, False, False] + [False, True, True, True, True]
    assert found.before.tolist() == [2, 2, 5, 0, 0] + [0, T + 3, T + 3, T + 3, T + 3]
    assert found.behind.tolist() == [5, 5, 7, 0, 0] + [0, T + 8, T + 8, T + 8, T + 8]
    assert found.place.tolist() == [0, 1, 0, 0, 0] + [0, 0, 1, 2, 3]


def test_a_span_that_ends_one_row_does_not_go_on_in_the_next() -> None:
    found = beside(torch.tensor([T - 1, T, T + 3]), torch.tensor([T, T]), T)
    assert found.asked.tolist() == [False, False, True] and found.before[2] == T + 2


def test_a_span_at_the_end_of_a_shorter_text_is_left_out_too() -> None:
    found = beside(torch.tensor([2, 6, T + 2, T + 6]), torch.tensor([T, 8]), T)  # the second text ends at its eighth
    assert found.asked.tolist() == [True, True, True, False]


def test_of_a_long_span_only_so_much_is_asked_as_there_are_places() -> None:
    found = beside(torch.arange(2, 28), torch.tensor([30]), 30)
    assert found.asked.tolist() == [True] * PLACES + [False] * 6 and found.place.max() == PLACES - 1


def slowly(head: BoundaryHead, x: Tensor, table: Tensor, row: int, span: list[int]) -> list[Tensor]:
    """The paper's equations, token by token, with both neighbours and the place end to end."""
    weight = torch.cat([head.sides.weight, head.place.weight], dim=1)  # (W, 2W + 200)
    found = []
    for number, _ in enumerate(span):
        inputs = torch.cat([x[row, span[0] - 1], x[row, span[-1] + 1], head.places.weight[number]])
        first = head.first_norm(functional.gelu(functional.linear(inputs, weight, head.sides.bias)))
        second = head.second_norm(functional.gelu(head.dense(first)))
        found.append(functional.linear(second, table, head.bias))
    return found


def test_the_second_loss_is_the_papers(model: BoundaryStack) -> None:
    given = batch([1, 3, 4, 5, 8], [2, 6, 7, 10])
    with torch.no_grad():
        output, x = model(given), model.stack(given)
        table = model.stack.embed.tokens.weight
        scores = [
            each
            for row, span in ((0, [3, 4, 5]), (0, [8]), (1, [2]), (1, [6, 7]))
            for each in slowly(model.boundary, x, table, row, span)
        ]
    right = given.answers[[1, 2, 3, 4, 5, 6, 7]]  # the first and the last of nine are next to an end
    expected = functional.cross_entropy(torch.stack(scores), right)
    assert output.parts["boundary"].item() == pytest.approx(expected.item(), rel=1e-5)
    assert set(losses(output, given)) == {"tokens", "boundary"}


def test_a_hidden_token_is_not_seen_by_the_second_head_but_through_its_neighbours(model: BoundaryStack) -> None:
    given = batch([4, 5])
    x = torch.randn(1, T, 16)
    where = beside(given.asked, torch.tensor([T]), T)
    other = x.clone()
    other[:, [4, 5, 1, 9]] += 1
    table = model.stack.embed.tokens.weight
    assert torch.equal(model.boundary(x, where, table), model.boundary(other, where, table))
    for neighbour in (3, 6):
        moved = x.clone()
        moved[:, neighbour] += torch.randn(16)
        assert (model.boundary(x, where, table) != model.boundary(moved, where, table)).any(dim=1).all()


def test_without_a_span_between_neighbours_the_second_loss_is_nothing(model: BoundaryStack) -> None:
    output = model(batch([1], [10]))
    assert output.parts["boundary"].item() == 0
    output.parts["boundary"].backward()


def test_who_only_looks_is_answered_as_by_bert(model: BoundaryStack) -> None:
    plain = bert(SHAPE, VOCABULARY, classes=0).eval()
    own = {name: value for name, value in model.state_dict().items() if not name.startswith("boundary")}
    plain.load_state_dict(own)  # BERT's body and head to the last tensor
    given = replace(batch([2, 5]), answers=None)
    with torch.no_grad():
        assert torch.equal(model(given).tokens, plain(given).tokens) and not model(given).parts
