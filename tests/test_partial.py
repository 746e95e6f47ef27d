"""Partial prediction: in training the last block works out what heads read and no more, and nothing else changes.

B batch   T tokens   P most read in a row
"""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from lab.batch import Batch, losses
from lab.catalog import MODELS
from lab.layers.attention import Attention
from lab.layers.blocks import Block
from lab.layers.heads import EachToken
from lab.layers.partial import by_row, part_of
from lab.layers.prefix import Prefix
from lab.layers.stacks import OneStack, Stack
from lab.layers.watch import Watch, looking
from tests.tiny import SIZES

ROWS, TOKENS, WORDS, CLASSES = 3, 12, 40, 3
LENGTHS = torch.tensor([12, 7, 10])


def families() -> list[str]:
    """Those whose last block can work out some tokens alone."""
    models = {entry.name: built(entry.name, 0) for entry in MODELS}
    return [
        name
        for name, model in models.items()
        if isinstance(model, OneStack) and isinstance(model.stack, Stack) and model.stack.takes_places
    ]


def built(name: str, classes: int) -> torch.nn.Module:
    """A tiny model of two blocks whose weights are far from where they start."""
    torch.manual_seed(0)
    entry = MODELS[name]
    sizes = {**SIZES, "depth": 2, "half": "generator"}
    settings = entry.settings(**{key: size for key, size in sizes.items() if key in entry.settings.knobs()})
    model: torch.nn.Module = entry.build(settings, WORDS, classes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model.train()


def padded() -> Batch:
    """Rows of three lengths."""
    shown = torch.randint(6, WORDS, (ROWS, TOKENS), generator=torch.Generator().manual_seed(1))
    return Batch(shown=shown, real=torch.arange(TOKENS) < LENGTHS[:, None])


def masked() -> Batch:
    """Rows of which three, one and two tokens are asked."""
    asked = torch.tensor([0, 5, 11, TOKENS + 6, 2 * TOKENS + 2, 2 * TOKENS + 3])
    return replace(padded(), asked=asked, answers=torch.tensor([7, 8, 9, 10, 11, 12]))


def table() -> Tensor:
    """Who may look at whom, everyone at least at itself: (B, T, T)."""
    drawn = torch.rand(ROWS, TOKENS, TOKENS, generator=torch.Generator().manual_seed(2))
    return drawn < 0.5 + torch.eye(TOKENS)


BATCHES = {
    "asked": masked(),
    "asked, without padding": replace(masked(), real=None),
    "asked and summed up": replace(masked(), label=torch.tensor([0, 2, 1])),
    "summed up": replace(padded(), label=torch.tensor([0, 2, 1])),
    "summed up, to the left": replace(padded(), label=torch.tensor([0, 2, 1]), visible="causal"),
    "asked, by a table": replace(masked(), visible=table()),
}


def learnt(model: torch.nn.Module, batch: Batch) -> tuple[float, dict[str, Tensor]]:
    """The loss and the gradient of every parameter."""
    model.zero_grad()
    loss = torch.stack(list(losses(model(batch), batch).values())).sum()
    loss.backward()
    return loss.item(), {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


def worked_out(model: torch.nn.Module, batch: Batch) -> list[int]:
    """How many tokens of a row the last block's feed-forward network is given, each time that the block runs."""
    assert isinstance(model, OneStack) and isinstance(model.stack, Stack)
    last, seen = model.stack.blocks[-1], list[int]()
    assert isinstance(last, Block)
    handle = last.feed.register_forward_pre_hook(lambda _, given: seen.append(given[0].shape[1]))
    model(batch)
    handle.remove()
    return seen


@pytest.mark.parametrize("name", families())
@pytest.mark.parametrize("case", BATCHES)
def test_the_loss_and_all_gradients_are_those_of_the_whole(name: str, case: str) -> None:
    batch = BATCHES[case]
    if batch.asked is None and "pools" not in MODELS[name].traits:
        pytest.skip("nothing sums a text up in this family")
    model = built(name, CLASSES if batch.label is not None else 0)
    alone = learnt(model, batch)
    with looking({Watch(): lambda _: None}):  # whoever looks, wherever, is shown everything
        whole = learnt(model, batch)
    assert alone[0] == pytest.approx(whole[0], abs=1e-6)
    assert alone[1].keys() == whole[1].keys()
    for parameter, gradient in alone[1].items():
        torch.testing.assert_close(gradient, whole[1][parameter], rtol=1e-4, atol=1e-6, msg=parameter)


@pytest.mark.parametrize("name", ["bert", "gpt"])
def test_a_learned_prefix_is_seen_from_there_as_well(name: str) -> None:
    model, batch = built(name, CLASSES), BATCHES["summed up, to the left" if name == "gpt" else "summed up"]
    for part in model.modules():
        if isinstance(part, Attention):
            part.prefix = Prefix(part.kv_heads, 2, part.head_width)
            torch.nn.init.normal_(part.prefix.values)
    alone = learnt(model, batch)
    with looking({Watch(): lambda _: None}):
        whole = learnt(model, batch)
    assert any(parameter.endswith("prefix.values") for parameter in alone[1])
    torch.testing.assert_close(alone, whole, rtol=1e-4, atol=1e-6)


def test_the_usual_encoders_and_decoders_are_among_them() -> None:
    assert {"bert", "roberta", "albert", "distilbert", "macbert", "electra", "gpt", "llama", "glm"} <= {*families()}
    assert {"deberta_v1", "deberta_v2", "deberta_v3", "spanbert"} <= {*families()}


def test_the_last_block_is_given_what_is_read_alone() -> None:
    model = built("bert", CLASSES)
    assert worked_out(model, BATCHES["asked and summed up"]) == [4]  # three are asked at most, and [CLS]
    assert worked_out(model, BATCHES["summed up"]) == [1]
    assert worked_out(model, BATCHES["summed up, to the left"]) == [1]
    assert worked_out(built("bert", 0), BATCHES["asked"]) == [3]
    assert worked_out(built("spanbert", 0), BATCHES["asked"]) == [5]  # 4 and 6 stand beside 5
    assert worked_out(built("deberta_v1", 0), BATCHES["asked"]) == [3, 3]  # the mask decoder, twice
    assert worked_out(built("deberta_v1", CLASSES), BATCHES["asked and summed up"]) == [4, 4, 4]
    assert worked_out(built("albert", 0), BATCHES["asked"]) == [TOKENS, 3]  # one block, run twice


def test_all_is_worked_out_where_somebody_looks_or_much_is_read() -> None:
    model = built("bert", 0)
    assert worked_out(model.eval(), BATCHES["asked"]) == [TOKENS]
    many = replace(masked(), asked=torch.arange(20), answers=torch.full((20,), 7))
    assert worked_out(model.train(), many) == [TOKENS]
    uneven = replace(masked(), asked=torch.arange(7), answers=torch.full((7,), 7))  # few, but of one row
    assert worked_out(model, uneven) == [TOKENS]
    with looking({model.stack.watch: lambda _: None}):  # type: ignore[union-attr,dict-item]
        assert worked_out(model, BATCHES["asked"]) == [TOKENS]
    model.each = EachToken(SIZES["width"], CLASSES)
    assert worked_out(model, BATCHES["asked"]) == [TOKENS]


def test_places_are_gathered_by_row() -> None:
    places, row, slot = by_row(masked().asked, ROWS, TOKENS)  # type: ignore[arg-type]
    assert places.tolist() == [[0, 5, 11], [6, 0, 0], [2, 3, 0]]
    assert (row.tolist(), slot.tolist()) == ([0, 0, 0, 1, 2, 2], [0, 1, 2, 0, 0, 1])


def test_what_sums_a_text_up_stands_in_front_or_at_the_end() -> None:
    first, last = part_of(masked(), "first"), part_of(masked(), "last")
    assert first is not None and last is not None
    assert first.places.tolist() == [[0, 0, 5, 11], [0, 6, 0, 0], [0, 2, 3, 0]]
    assert first.batch.asked.tolist() == [1, 2, 3, 5, 9, 10]  # type: ignore[union-attr]
    assert last.places.tolist() == [[0, 5, 11, 11], [6, 0, 0, 6], [2, 3, 0, 9]]
    assert last.batch.asked.tolist() == [0, 1, 2, 4, 8, 9]  # type: ignore[union-attr]
