"""The optimizers that the papers used: how a step follows from a gradient.

AdamW, Adafactor, AdaGrad and plain descent are PyTorch's. LAMB, with which ALBERT was trained, is here, and Muon, which
teaches small models soonest, in a file of its own.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from lab.runs.run import Training
from lab.training.muon import Muon


def optimizer_of(
    model: nn.Module, plan: Training, learning_rate: float, levels: Mapping[str, int] = MappingProxyType({})
) -> Optimizer:
    """The optimizer of a run, with a learning rate that the loop sets anew at each step. Matrices decay; norms and
    biases of whatever shape do not. Parameters of different ``levels`` (0 if none is named) are apart."""
    kinds: list[dict[str, Any]] = [
        {"weight_decay": plan.weight_decay, "adapts": True},
        {"weight_decay": 0.0, "adapts": False},
    ]
    kinds.append({"weight_decay": plan.weight_decay, "matrices": True})
    groups = defaultdict[tuple[int, int], list[nn.Parameter]](list, {(0, 0): [], (0, 1): []})
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            matrix = plan.optimizer == "muon" and is_matrix(name, parameter.shape)
            kind = 2 if matrix else 0 if decays(name, parameter) else 1
            groups[levels.get(name, 0), kind].append(parameter)
    made = [{"params": groups[level, kind], "level": level, **kinds[kind]} for level, kind in sorted(groups)]
    return _MADE[plan.optimizer](made, learning_rate, plan)


def decays(name: str, parameter: Tensor) -> bool:
    """Whether weight decay draws a parameter towards zero. XLNet's biases of attention are one for each head: a table,
    and biases all the same (in the authors' code whatever is called a bias is left out)."""
    return parameter.dim() > 1 and not name.endswith("bias")


def is_matrix(name: str, shape: Sequence[int]) -> bool:
    """Whether a parameter is a linear map inside a block: no table, no head, no norm, no gate of an LSTM."""
    owner, _, last = name.rpartition(".")
    return ".blocks." in name and last == "weight" and len(shape) == 2 and not owner.endswith(_TABLES)


def kept(optimizer: str, name: str, shape: Sequence[int]) -> int:
    """How many numbers an optimizer keeps of a parameter from one step to the next: Adam's two averages, Muon's one of
    a matrix, the sum of AdaGrad; of a table Adafactor has one for each row and one for each column."""
    size = math.prod(shape)
    if optimizer == "muon" and is_matrix(name, shape):
        return size
    if optimizer == "adafactor" and len(shape) > 1:
        return size // shape[-1] + size // shape[-2]
    return _KEPT[optimizer] * size


def _adamw(groups: list[dict[str, Any]], learning_rate: float, plan: Training) -> Optimizer:
    return torch.optim.AdamW(groups, lr=learning_rate, betas=(plan.beta1, plan.beta2), eps=plan.epsilon, fused=True)


def _muon(groups: list[dict[str, Any]], learning_rate: float, plan: Training) -> Optimizer:
    return Muon(groups, learning_rate, (plan.beta1, plan.beta2), plan.epsilon)


def _lamb(groups: list[dict[str, Any]], learning_rate: float, plan: Training) -> Optimizer:
    return Lamb(groups, learning_rate, (plan.beta1, plan.beta2), plan.epsilon)


def _adafactor(groups: list[dict[str, Any]], learning_rate: float, plan: Training) -> Optimizer:
    """As T5's authors used it: steps in proportion to a parameter's own size, no momentum, no decay. The rate of step t
    is never above 1 / sqrt(t), that of Shazeer and Stern's relative steps."""
    return torch.optim.Adafactor(_undecayed(groups), lr=learning_rate)


def _adagrad(groups: list[dict[str, Any]], learning_rate: float, plan: Training) -> Optimizer:
    """Sums of squares begin at one, as in TensorFlow's of ELMo and in GloVe's program; there is no decay."""
    return torch.optim.Adagrad(_undecayed(groups), lr=learning_rate, initial_accumulator_value=1.0, eps=plan.epsilon)


def _sgd(groups: list[dict[str, Any]], learning_rate: float, plan: Training) -> Optimizer:
    return torch.optim.SGD(groups, lr=learning_rate)


def _undecayed(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**group, "weight_decay": 0.0} for group in groups]


_MADE: dict[str, Callable[[list[dict[str, Any]], float, Training], Optimizer]] = {
    "adamw": _adamw,
    "muon": _muon,
    "lamb": _lamb,
    "adafactor": _adafactor,
    "adagrad": _adagrad,
    "sgd": _sgd,
}
_TABLES = (".table", ".segments")
_KEPT = {"adamw": 2, "muon": 2, "lamb": 2, "adafactor": 1, "adagrad": 1, "sgd": 0}  # numbers for each of a parameter's


class Lamb(Optimizer):
    """Adam whose step is as long as the parameter is, times the learning rate (You et al. 2019, algorithm 2).

    As in the code that trained ALBERT, the moments are not corrected for their start at zero, and norms and biases take
    Adam's step as it is: a group of parameters says so by ``adapts``.
    """

    def __init__(self, params: Any, lr: float, betas: tuple[float, float], eps: float) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": 0.0})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step; a ``closure`` is not called."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, parameter.grad, group)

    def _move(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state, (slow, slower) = self.state[parameter], group["betas"]
        if not state:
            state |= {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
        state["exp_avg"].lerp_(gradient, 1 - slow)
        state["exp_avg_sq"].lerp_(gradient.square(), 1 - slower)
        step = state["exp_avg"] / (state["exp_avg_sq"].sqrt() + group["eps"])
        if group.get("adapts", group["weight_decay"] > 0):  # runs of an earlier version say it by the decay
            step = step + group["weight_decay"] * parameter
            long, far = parameter.norm(), step.norm()
            step = step * torch.where((long > 0) & (far > 0), long / far, 1.0)
        parameter.sub_(step, alpha=group["lr"])
