"""The cross-entropy written here is PyTorch's, and so is its gradient; who asks for it twice is told."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from lab import cross_entropy as module
from lab.cross_entropy import cross_entropy

ANSWERS, WORDS = 7, 11


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let any logits be held for many."""
    monkeypatch.setattr(module, "LARGE", 0)


def asked() -> tuple[Tensor, Tensor]:
    """Logits, some of them far from the others, and answers, of which two are the same."""
    logits = torch.randn(ANSWERS, WORDS, generator=torch.Generator().manual_seed(0))
    logits[1, 3], logits[2, 4] = 200.0, -torch.inf
    return logits.requires_grad_(), torch.tensor([3, 3, 0, 10, 5, 6, 7])


def test_two_answers_by_hand() -> None:
    logits = torch.tensor([[0.0, 0.0], [0.0, 3.0]]).log1p().requires_grad_()  # chances 1/2, 1/2 and 1/5, 4/5
    loss = cross_entropy(logits, torch.tensor([0, 1]))
    loss.backward()
    assert loss.item() == pytest.approx(-(torch.tensor(0.5).log() + torch.tensor(0.8).log()).item() / 2)
    assert torch.allclose(logits.grad, torch.tensor([[0.5 - 1, 0.5], [0.2, 0.8 - 1]]) / 2)


@pytest.mark.parametrize("weight", (1.0, 0.3, 1024.0))
def test_loss_and_gradient_are_those_of_torch(weight: float) -> None:
    (ours, answers), (theirs, _) = asked(), asked()
    one, other = cross_entropy(ours, answers), functional.cross_entropy(theirs, answers)
    assert one.item() == pytest.approx(other.item(), rel=1e-6)
    for loss in (one, other):
        (weight * loss).backward()
    assert torch.allclose(ours.grad, theirs.grad, rtol=1e-5, atol=1e-7 * weight)


def test_logits_stay_as_they_are() -> None:
    logits, answers = asked()
    before = logits.detach().clone()
    cross_entropy(logits, answers).backward()
    assert torch.equal(logits, before)


def test_a_second_gradient_is_refused_rather_than_wrong() -> None:
    loss = cross_entropy(*asked())
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_few_logits_and_what_is_not_learnt_from_are_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, answers = asked()
    assert "InPlace" in type(cross_entropy(logits, answers).grad_fn).__name__
    with torch.no_grad():
        assert cross_entropy(logits, answers).item() == functional.cross_entropy(logits, answers).item()
    monkeypatch.setattr(module, "LARGE", ANSWERS * WORDS)
    assert "NllLoss" in type(cross_entropy(logits, answers).grad_fn).__name__
