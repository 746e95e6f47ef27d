"""Muon: orthogonal steps for the matrices of blocks, AdamW for all else."""

import copy

import pytest
import torch
from tiny import plan
from torch import Tensor, nn

from lab.analysis.cost import any_batch
from lab.batch import losses
from lab.catalog import MODELS
from lab.inference.model import build
from lab.training.muon import LENGTH, POLYNOMIALS, Muon, orthogonal
from lab.training.optimizers import is_matrix, optimizer_of

WORDS = 300


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 16, 48), (3, 48, 16), (2, 1, 7)])
def test_all_directions_come_out_about_as_long_and_none_is_turned(shape: tuple[int, int, int]) -> None:
    matrices = random(*shape)
    (steps,) = orthogonal([matrices])
    u, s, v = torch.linalg.svd(matrices, full_matrices=False)
    lengths = u.mT @ steps @ v.mT  # (M, R, R) in the matrix's own directions
    diagonal = lengths.diagonal(dim1=1, dim2=2)
    kept = s / s.pow(4).sum(1, keepdim=True) ** 0.25 > 0.005  # the iteration lifts a direction so far, and no further
    assert kept.float().mean() > 0.9 and ((diagonal > 0.5) & (diagonal < 1.51))[kept].all()
    assert (lengths - torch.diag_embed(diagonal)).abs().max() < 1e-4


def test_shapes_with_one_shorter_side_are_turned_together_as_each_alone() -> None:
    stacks = [random(2, 8, 24), random(1, 24, 8), random(3, 8, 8), random(2, 5, 9)]
    for together, stack in zip(orthogonal(stacks), stacks, strict=True):
        torch.testing.assert_close(together, orthogonal([stack])[0])


def test_no_polynomial_of_its_degree_would_bring_the_values_nearer_to_one() -> None:
    least, most = 0.005, 1.0
    for a, b, c in POLYNOMIALS:
        x = torch.linspace(least, most, 100_001, dtype=torch.float64)
        y = a * x + b * x**3 + c * x**5
        inner = (y[1:-1] - y[:-2]) * (y[2:] - y[1:-1]) < 0  # where it turns
        ends = torch.cat([y[:1], y[1:-1][inner], y[-1:]])
        # Four equal errors of alternating sign are what makes it the best (Chebyshev's theorem).
        torch.testing.assert_close(
            (ends - 1) * torch.tensor([-1.0, 1.0, -1.0, 1.0]), (1 - y[0]).expand(4), atol=2e-3, rtol=0
        )
        least, most = y.min().item(), y.max().item()
    assert least > 0.5 and most < 1.5


def test_a_matrix_of_zeros_stays_one() -> None:
    assert not orthogonal([torch.zeros(2, 4, 3)])[0].any()


def test_the_first_step_of_a_matrix_is_as_long_as_said_and_follows_its_gradient() -> None:
    matrix = nn.Parameter(random(32, 64))
    before, matrix.grad = matrix.detach().clone(), random(32, 64) * 1e-6  # however small the gradient is
    Muon([{"params": [matrix], "weight_decay": 0.0, "matrices": True}], 0.1, (0.9, 0.98), 1e-8).step()
    step = before - matrix.detach()
    assert torch.linalg.matrix_norm(step, ord=2).item() == pytest.approx(0.1 * LENGTH, rel=0.5)
    assert (step * matrix.grad).sum() > 0


def test_decay_is_beside_the_step() -> None:
    matrix = nn.Parameter(random(8, 8))
    before, matrix.grad = matrix.detach().clone(), torch.zeros(8, 8)
    Muon([{"params": [matrix], "weight_decay": 0.5, "matrices": True}], 0.1, (0.9, 0.98), 1e-8).step()
    torch.testing.assert_close(matrix.detach(), before * (1 - 0.1 * 0.5))


def test_matrices_of_one_shape_are_turned_together_as_each_alone() -> None:
    both = [nn.Parameter(random(2, 16, 8)[n].clone()) for n in range(2)]
    alone = copy.deepcopy(both)
    for n, parameter in enumerate((*both, *alone)):
        parameter.grad = random(4, 16, 8)[n % 2]
    Muon([{"params": both, "weight_decay": 0.0, "matrices": True}], 0.1, (0.9, 0.98), 1e-8).step()
    for parameter in alone:
        Muon([{"params": [parameter], "weight_decay": 0.0, "matrices": True}], 0.1, (0.9, 0.98), 1e-8).step()
    for one, other in zip(both, alone, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("model", ["bert", "t5", "deberta_v2", "xlnet", "lstm", "word2vec"])
def test_all_but_the_matrices_of_blocks_goes_as_by_adamw(model: str) -> None:
    run = plan(model=model, training={"steps": 1, "batch": 4, "optimizer": "muon"})
    ours, theirs = (build(run, WORDS, 0) for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    adamw = plan(model=model, training={"steps": 1, "batch": 4, "optimizer": "adamw"})
    for built, how in ((ours, run), (theirs, adamw)):
        torch.manual_seed(0)
        torch.stack([*losses(built(any_batch(run, WORDS)), any_batch(run, WORDS)).values()]).sum().backward()
        optimizer_of(built, how.plan, 0.01).step()
    for (name, mine), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        alike = torch.allclose(mine, other, atol=1e-7)
        assert alike != (is_matrix(name, mine.shape) and bool(mine.grad is not None and mine.grad.any())), name


@pytest.mark.parametrize("model", [entry.name for entry in MODELS])
def test_what_counts_as_a_matrix_is_a_linear_map_inside_a_block(model: str) -> None:
    built = build(plan(model=model), WORDS, 0)
    maps = {id(part.weight): name for name, part in built.named_modules() if isinstance(part, nn.Linear)}
    turned = {id(p) for name, p in built.named_parameters() if is_matrix(name, p.shape)}
    assert turned <= maps.keys()
    assert turned == {number for number, name in maps.items() if ".blocks." in name}
