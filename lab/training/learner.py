"""From a batch to its losses, and over how many answers each of them is a mean: what a step begins with.

Mixed precision (Micikevicius et al. 2017): matrices may be multiplied in bfloat16, which takes half the memory and, on
hardware that knows it, half the time or less. Weights, sums, norms, softmax and losses stay in float32.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn

from lab.batch import Batch, counts, losses
from lab.entries import TaskEntry
from lab.training.distillation import distillation_counts, distillation_losses

Losses = tuple[dict[str, Tensor], dict[str, float]]
_ZERO = torch.zeros(())


class Learner(nn.Module):
    """A model with its teacher, where it has one, or the task that it is fine-tuned for; a module, so that gradients
    can be shared around it. Where they are ``shared``, all processes have the same losses in every step."""

    def __init__(
        self,
        model: nn.Module,
        teacher: nn.Module | None = None,
        task: TaskEntry | None = None,
        *,
        mixed: bool = False,
        shared: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self.teacher = teacher
        self.task = task
        self.mixed = mixed
        self.shared = shared

    def forward(self, batch: Batch) -> Losses:
        if self.task is None and batch.answers is None:
            return self._of_nothing(batch)
        return self._learnt(batch)

    def _of_nothing(self, batch: Batch) -> Losses:
        """A few short rows may happen to ask for no token: nothing is then learnt from them but about pairs."""
        if not self.shared and self.teacher is None:
            parts, numbers = self._learnt(batch)
            return parts or {"tokens": sum((p.sum() for p in self.parameters()), start=_ZERO) * 0}, numbers
        # Others wait for the same sums and gradients: all that they run is run, for an answer that does not count.
        asked = replace(batch, asked=torch.zeros_like(batch.shown[0, :1]), answers=batch.shown.flatten()[:1], most=1)
        parts, numbers = self._learnt(asked)
        counts_here = {name: number if name == "sequence" else 0.0 for name, number in numbers.items()}
        return {name: part if name == "sequence" else part * 0 for name, part in parts.items()}, counts_here

    def _learnt(self, batch: Batch) -> Losses:
        with torch.autocast(batch.shown.device.type, torch.bfloat16, enabled=self.mixed):
            if self.teacher is not None:
                return distillation_losses(self.model, self.teacher, batch), distillation_counts(batch)
            output = self.model(batch)
            if self.task is not None:
                loss, count = self.task.loss(output, batch)
                return {self.task.name: loss}, {self.task.name: float(count)}
            return losses(output, batch), {"tokens": 0.0, **counts(output, batch)}
