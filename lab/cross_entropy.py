"""Cross-entropy: the nats that a model gives the right answer too few, and what each logit should change for that.

The gradient is known before anything is worked out: the model's probability, minus 1 at the right answer, over the
number of answers. Where logits are so many that no cache of a processor holds them, each pass over them is as dear as
what is computed. PyTorch fills two more tables of their size on the way back; here the gradient is written over the
log-probabilities.

N answers   V vocabulary
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

LARGE = 2**20  # logits up to which they are read from a cache, and nothing is gained


def cross_entropy(logits: Tensor, answers: Tensor) -> Tensor:
    """The mean over the ``answers`` (N,), in nats, by ``logits`` (N, V)."""
    if logits.numel() <= LARGE or not logits.is_cpu or not torch.is_grad_enabled():
        return functional.cross_entropy(logits, answers)
    loss: Tensor = _InPlace.apply(logits, answers)
    return loss


class _InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, answers: Tensor) -> Tensor:
        logs = logits.log_softmax(-1)  # (N, V)
        ctx.save_for_backward(logs, answers)
        return -logs.gather(-1, answers[:, None]).mean()

    @staticmethod
    def backward(ctx: Any, incoming: Tensor) -> tuple[Tensor, None]:
        # Nobody else holds the log-probabilities. Were they asked for again, torch would see that they have changed.
        logs, answers = ctx.saved_tensors
        gradient = logs.exp_()  # (N, V)
        gradient[torch.arange(len(answers)), answers] -= 1
        return gradient.mul_(incoming / len(answers)), None
