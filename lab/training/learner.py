"""From a batch to its losses, and over how many answers each of them is a mean: what a step begins with."""

from torch import Tensor, nn

from lab.batch import Batch, counts, losses
from lab.training.distillation import distillation_counts, distillation_losses

Losses = tuple[dict[str, Tensor], dict[str, float]]


class Learner(nn.Module):
    """A model with its teacher, where it has one; a module, so that gradients can be shared around it."""

    def __init__(self, model: nn.Module, teacher: nn.Module | None = None) -> None:
        super().__init__()
        self.model = model
        self.teacher = teacher

    def forward(self, batch: Batch) -> Losses:
        if self.teacher is not None:
            return distillation_losses(self.model, self.teacher, batch), distillation_counts(batch)
        output = self.model(batch)
        return losses(output, batch), counts(output, batch)
