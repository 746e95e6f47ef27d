"""Weights in blocks: the same products, of one weight after the other, and never where something is learnt."""

from copy import deepcopy
from typing import Any

import pytest
import torch
from test_contracts import OWN, prepared
from torch import nn
from torch.nn import functional

from lab.inference import weight_layout
from lab.inference.weight_layout import BLOCKS, FEW, ArrangedLinear, Product, arranged, copies

IN_BLOCKS = pytest.mark.skipif(not BLOCKS, reason="PyTorch has no oneDNN for this processor")
WIDE = 300


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let matrices of any size be copied."""
    monkeypatch.setattr(weight_layout, "LARGE", 1)


def made(outputs: int = 170, inputs: int = WIDE) -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(inputs, outputs)


@torch.inference_mode()
@pytest.mark.parametrize("by_columns", (False, True))
@pytest.mark.parametrize("shape", ((1, 1), (FEW - 1,), (FEW,), (2, 33), (3, 0), (1, 700)))
def test_a_product_is_that_of_torch(shape: tuple[int, ...], by_columns: bool) -> None:
    linear, x = made(), torch.randn(*shape, 2 * WIDE)[..., ::2]
    weight = linear.weight.T.contiguous().T if by_columns else linear.weight
    for bias in (linear.bias, None):
        found = Product()(x, weight, bias)
        assert found.shape == (*shape, 170)
        assert torch.allclose(found, functional.linear(x, weight, bias), atol=1e-5)


@IN_BLOCKS
def test_one_row_needs_no_copy_and_several_one_that_is_counted() -> None:
    model = arranged(nn.Sequential(made()))
    with torch.inference_mode():
        model(torch.randn(FEW - 1, WIDE))
        assert copies(model) == 0
        model(torch.randn(FEW, WIDE))
    assert copies(model) == 170 * WIDE * 4


def test_a_weight_that_is_changed_or_exchanged_is_copied_anew() -> None:
    linear, x = ArrangedLinear(made()), torch.randn(9, WIDE)
    with torch.no_grad():
        before = linear(x)
        linear.weight.mul_(2)
        assert torch.allclose(linear(x) - linear.bias, 2 * (before - linear.bias), atol=1e-4)
        linear.weight = nn.Parameter(torch.zeros_like(linear.weight))
        assert torch.equal(linear(x), linear.bias.expand(9, -1))


def test_what_is_learnt_is_learnt_from_the_weight_itself() -> None:
    linear, plain, x = ArrangedLinear(made()), made(), torch.randn(9, WIDE)
    for each in (linear, plain):
        each(x).square().sum().backward()
    assert torch.equal(linear.weight.grad, plain.weight.grad)


def test_a_copy_of_a_model_reads_by_its_own_weights() -> None:
    model, x = arranged(nn.Sequential(made(), nn.GELU(), made(WIDE, 170))), torch.randn(9, WIDE)
    with torch.inference_mode():
        before = model(x)
    twin = deepcopy(model)
    with torch.no_grad():
        twin[2].weight.zero_()
        assert torch.equal(twin(x), twin[2].bias.expand(9, -1)) and torch.equal(model(x), before)


@pytest.mark.parametrize(("family", "objective"), OWN)
def test_every_family_answers_as_before(family: str, objective: str) -> None:
    model, batch = prepared(family, objective)
    model.eval()
    with torch.inference_mode():
        before: Any = model(batch).tokens
        names = [*model.state_dict()]
        after: Any = arranged(model)(batch).tokens
    assert [*model.state_dict()] == names
    assert torch.allclose(before, after, atol=1e-5 * max(1.0, before.abs().max().item()))
