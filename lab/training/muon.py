"""Muon: descent by orthogonal steps, for the matrices inside a model's blocks (Jordan et al. 2024).

The gradient of a matrix is mostly a few strong directions. Muon takes its momentum and makes all directions about
equally long: of U S V' it keeps U V', by a few products of matrices instead of a singular value decomposition. What is
no matrix of a block, tables, heads, norms and biases, goes by AdamW as everywhere.

M matrices of one shape   R rows   C columns
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

MOMENTUM = 0.9  # that of the paper, 0.95, suits runs of more steps than minutes have
LENGTH = 3.0  # of a step, for a learning rate that suits AdamW's tables beside it
# a, b and c of a + b S + c S S, one polynomial for each step of the iteration. The first brings singular values from
# 0.005 to 1 as near to one as such a polynomial can, each further one those that are left (Amsel et al. 2025): they end
# between 0.5 and 1.5. Jordan's five steps by one polynomial take half as many products again, and runs of some
# hundred steps end no lower.
POLYNOMIALS = ((8.2987, -24.4305, 18.0903), (3.9152, -2.9211, 0.5592), (3.1746, -2.3804, 0.4978))


class Muon(torch.optim.AdamW):
    """AdamW whose groups with ``matrices`` take orthogonal steps; one learning rate serves both."""

    def __init__(self, params: Any, lr: float, betas: tuple[float, float], eps: float) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, fused=True)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step; a ``closure`` is not called."""
        groups = self.param_groups
        for group in groups:
            if group.get("matrices"):
                self._turn(group)
        # AdamW takes what is left, in its fused kernel.
        self.param_groups = [group for group in groups if not group.get("matrices")]
        super().step()
        self.param_groups = groups

    def _turn(self, group: dict[str, Any]) -> None:
        alike = defaultdict[torch.Size, list[Tensor]](list)
        for parameter in group["params"]:
            if parameter.grad is not None:
                alike[parameter.shape].append(parameter)
        steps = orthogonal([torch.stack(self._momenta(parameters)) for parameters in alike.values()])
        for (shape, parameters), step in zip(alike.items(), steps, strict=True):
            # A vector of unit numbers is moved as far whatever the width is: what suits narrow models suits wide ones.
            length = LENGTH * max(1.0, shape[0] / shape[1]) ** 0.5
            for parameter, own in zip(parameters, step.unbind(), strict=True):
                parameter.mul_(1 - group["lr"] * group["weight_decay"]).sub_(own, alpha=group["lr"] * length)

    def _momenta(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """The mean gradients, each a step ahead as Nesterov has it."""
        ahead = []
        for parameter in parameters:
            state, gradient = self.state[parameter], parameter.grad
            assert gradient is not None
            if not state:
                state["step"] = torch.zeros(())  # which AdamW wants to find with every parameter
                state["momentum"] = torch.zeros_like(parameter)
            state["step"] += 1
            mean = state["momentum"].lerp_(gradient, 1 - MOMENTUM)
            ahead.append(gradient.lerp(mean, MOMENTUM))
        return ahead


def orthogonal(stacks: Sequence[Tensor]) -> list[Tensor]:
    """The nearest matrices to those of each stack (M, R, C) whose singular values are about 1, by Newton and Schulz's
    iteration.

    Every step multiplies from the left by a polynomial in the product of the matrix with its own transpose. All that is
    done on those small squares, as many at a time as there are of one size, and the matrix itself is multiplied but
    once, at the end.
    """
    wide = [x.mT if x.shape[1] > x.shape[2] else x for x in stacks]  # the square is then the smaller one
    turned = list(stacks)
    for size in {x.shape[1] for x in wide}:
        places = [place for place, x in enumerate(wide) if x.shape[1] == size]
        turns = _turns(torch.cat([wide[place] @ wide[place].mT for place in places]))  # (all M, R, R)
        for place, turn in zip(places, turns.split([len(wide[place]) for place in places]), strict=True):
            x = turn @ wide[place]
            turned[place] = x.mT if stacks[place].shape[1] > size else x
    return turned


def _turns(square: Tensor) -> Tensor:
    """By what the matrices with these squares (M, R, R) are to be multiplied: (M, R, R)."""
    # The iteration converges where no singular value is above 1. The root of the square's norm is a bound on them, and
    # a closer one than the matrix's own norm: fewer directions are left too small.
    bound = square.norm(dim=(1, 2), keepdim=True).clamp(min=torch.finfo(square.dtype).tiny)  # (M, 1, 1), squared
    square, turn = square / bound, bound.rsqrt()
    for step, (a, b, c) in enumerate(POLYNOMIALS):
        times = torch.baddbmm(square, square, square, beta=b, alpha=c)  # b S + c S S
        times.diagonal(dim1=1, dim2=2).add_(a)
        turn = times @ turn if step else times * turn
        if step < len(POLYNOMIALS) - 1:
            square = times @ square @ times
    return turn
