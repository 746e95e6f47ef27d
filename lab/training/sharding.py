"""Fully sharded data parallel (FSDP): of every parameter each process holds a part, the whole only while it is needed.

Weights, gradients and the optimizer's state are shared out, so that N processes hold a model N times as large. A
block's weights are gathered when it is reached, on the way there and on the way back, and given up behind it; what
belongs to no block, embeddings and heads, is gathered as one (Zhao et al. 2023).
"""

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from lab.layers.enhanced import EnhancedStack
from lab.layers.stacks import Stack
from lab.runs.run import Run
from lab.runs.tuning import FULL
from lab.settings import SettingsError
from lab.training.parallel import Group

NUMBER_BY_NUMBER = ("adamw", "adagrad", "sgd")  # optimizers to which a shard is as good as the whole


@dataclass(frozen=True)
class Sharded(Group):
    """A group whose processes each hold a shard of every parameter, cut along its first dimension."""

    def spread(self, model: nn.Module, device: torch.device) -> nn.Module:
        mesh = init_device_mesh(device.type, (self.size,))
        for block in gathered_alone(model):
            fully_shard(block, mesh=mesh)
        fully_shard(model, mesh=mesh)
        return model.to(device)  # buffers, which are whole everywhere

    def joined(self, learner: nn.Module) -> nn.Module:
        return learner  # the shards' gradients are means already

    def whole(self, tensor: Tensor) -> Tensor:
        return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor

    def part(self, tensor: Tensor, parameter: Tensor) -> Tensor:
        if not isinstance(parameter, DTensor) or tensor.shape != parameter.shape:
            return tensor
        here = tensor.to(parameter.device)
        return distribute_tensor(here, parameter.device_mesh, parameter.placements, src_data_rank=None)

    def check(self, run: Run) -> None:
        super().check(run)
        if run.tuning.how != FULL:
            raise SettingsError(
                f"sharded training moves all parameters: choose full instead of {run.tuning.how}",
                f"分片训练只能训练全部参数：请选择 full 而不是 {run.tuning.how}",
            )
        if run.plan.optimizer not in NUMBER_BY_NUMBER:
            raise SettingsError(
                f"{run.plan.optimizer} looks at whole matrices, and sharded training has none: choose adamw",
                f"{run.plan.optimizer} 需要完整的矩阵，而分片训练没有：请选择 adamw",
            )


def gathered_alone(model: nn.Module) -> list[nn.Module]:
    """The blocks whose weights can be gathered when they are reached: those of plain stacks that share none of them.
    Not the last one under a mask decoder, which goes to its attention past the block itself."""
    parts = [*model.modules()]
    again = {part.stack.blocks[-1] for part in parts if isinstance(part, EnhancedStack)}
    blocks = [block for part in parts if type(part) is Stack for block in part.blocks]
    owners = Counter(id(parameter) for block in blocks for parameter in block.parameters())
    unshared = (block for block in blocks if all(owners[id(parameter)] == 1 for parameter in block.parameters()))
    return [block for block in unshared if block not in again]
