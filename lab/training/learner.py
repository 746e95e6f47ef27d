"""From a batch to its losses, and over how many answers each of them is a mean: what a step begins with.

Mixed precision (Micikevicius et al. 2017): matrices may be multiplied in bfloat16, which takes half the memory and, on
hardware that knows it, half the time or less. Weights, sums, norms, softmax and losses stay in float32.
"""

import torch
from torch import Tensor, nn

from lab.batch import Batch, counts, losses
from lab.entries import TaskEntry
from lab.training.distillation import distillation_counts, distillation_losses

Losses = tuple[dict[str, Tensor], dict[str, float]]
_ZERO = torch.zeros(())


class Learner(nn.Module):
    """A model with its teacher, where it has one, or the task that it is fine-tuned for; a module, so that gradients
    can be shared around it."""

    def __init__(
        self,
        model: nn.Module,
        teacher: nn.Module | None = None,
        task: TaskEntry | None = None,
        *,
        mixed: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self.teacher = teacher
        self.task = task
        self.mixed = mixed

    def forward(self, batch: Batch) -> Losses:
        with torch.autocast(batch.shown.device.type, torch.bfloat16, enabled=self.mixed):
            if self.teacher is not None:
                return distillation_losses(self.model, self.teacher, batch), distillation_counts(batch)
            output = self.model(batch)
            if self.task is not None:
                loss, count = self.task.loss(output, batch)
                return {self.task.name: loss}, {self.task.name: float(count)}
            # A few short rows may happen to ask nothing: nothing is then learnt from them, by no gradient but zero.
            parts = losses(output, batch) or {"tokens": sum((p.sum() for p in self.parameters()), start=_ZERO) * 0}
            return parts, {"tokens": 0.0, **counts(output, batch)}
