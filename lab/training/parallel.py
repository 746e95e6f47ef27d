"""Data parallel training (DDP): several processes learn one model, each from its rows of every batch.

Batch number n stays what it is for one process; each rank takes its share of the rows. A loss is a mean over answers,
and ranks have different numbers of them: each mean is therefore weighed by its own answers, so that the mean over the
ranks is the mean over all answers. Losses and gradients are then those of one process but for rounding, whatever the
number of ranks.

What no batch decides, dropout and the draws of a generator network, comes on each rank from a generator of its own,
which the run, the step and the rank seed. There the curves of one and of several processes differ, by chance alone.

Only the first rank writes. It also keeps the clock and hears wishes to stop, and tells the others, so that all of them
take the same steps and none waits for one that has ended.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from lab.catalog import MODELS
from lab.runs.run import Run
from lab.settings import SettingsError


@dataclass(frozen=True)
class Group:
    """The processes that train one run together. Alone, each of its methods gives back what it is given."""

    rank: int = 0
    size: int = 1
    local: int = 0  # the rank on this machine, and the number of its GPU
    store: distributed.Store | None = None  # what all of them read and write, whatever else they are at

    @property
    def first(self) -> bool:
        """Whether this is the process that writes."""
        return self.rank == 0

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """The others go when the first is done, and find what it has written. Where that is refused they end without a
        word: the first says why."""
        if not self.first and self.told(0.0):
            raise SystemExit(2)
        try:
            yield
        except SettingsError:
            if self.first:
                self.told(1.0)
            raise
        if self.first:
            self.told(0.0)

    def leave(self, patience: float) -> None:
        """Say that this process goes. The first waits until all have said so, at most so many seconds: one that has
        been killed does not."""
        if self.store is None:
            return
        with suppress(RuntimeError):  # not all came; or the first, whose the store is, went before
            self.store.set(f"left {self.rank}", "")
            if self.first:
                self.store.wait([f"left {rank}" for rank in range(self.size)], timedelta(seconds=patience))

    def told(self, value: float) -> float:
        """What the first process says, which all do then: seconds that have passed, or whether to stop."""
        if self.size == 1:
            return value
        values = torch.tensor(value, dtype=torch.float64)
        distributed.broadcast(values, src=0)
        return values.item()

    def total(self, values: Sequence[float]) -> list[float]:
        """Each value summed over the ranks."""
        if self.size == 1:
            return list(values)
        sums = torch.tensor(values, dtype=torch.float64)
        distributed.all_reduce(sums)
        return sums.tolist()

    def totals(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Each number of answers summed over the ranks."""
        return dict(zip(counts, self.total([float(count) for count in counts.values()]), strict=True))

    def weighed(
        self, parts: Mapping[str, Tensor], counts: Mapping[str, float], totals: Mapping[str, float]
    ) -> dict[str, Tensor]:
        """The losses of this rank's rows, each a mean over so many answers, such that their mean over the ranks is the
        mean over the answers of all."""
        if self.size == 1:
            return dict(parts)
        return {name: part * (counts[name] / (totals[name] or 1) * self.size) for name, part in parts.items()}

    def mean(self, parts: Mapping[str, Tensor]) -> dict[str, float]:
        """The means over the ranks of losses that were weighed."""
        sums = self.total([part.item() for part in parts.values()])
        return {name: value / self.size for name, value in zip(parts, sums, strict=True)}

    def seed(self, run: int, step: int) -> None:
        """Seed this rank's dropout for one step, so that a run resumed on as many processes repeats its numbers."""
        if self.size > 1:
            torch.manual_seed(int(np.random.default_rng([run, step, self.rank]).integers(2**63)))

    def spread(self, model: nn.Module, device: torch.device) -> nn.Module:
        """The model on its device."""
        return model.to(device)

    def joined(self, learner: nn.Module) -> nn.Module:
        """The module, whose gradients become their mean over the ranks on the way back."""
        if self.size == 1:
            return learner
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # a setting that newer versions call otherwise
            # The graph is static: a parameter that an objective cannot reach, it never reaches.
            return DistributedDataParallel(learner, broadcast_buffers=False, static_graph=True)

    def whole(self, tensor: Tensor) -> Tensor:
        """All of a tensor of which this process may hold a part."""
        return tensor

    def part(self, tensor: Tensor, parameter: Tensor) -> Tensor:
        """What this process holds of a whole tensor that belongs to ``parameter``."""
        return tensor

    def gathered(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The tensors whole, in the first process' memory, one after the other; elsewhere nothing.

        A checkpoint of several processes is thus the one that a single process writes: it can be read by any number of
        them, and by the pages. torch.distributed.checkpoint would save in parallel, but lists the shards in a pickle,
        which the lab neither reads nor writes.
        """
        kept = {}
        for name, tensor in tensors.items():
            whole = self.whole(tensor)  # in which all ranks take part
            if self.first:
                kept[name] = whole.cpu()
        return kept

    def check(self, run: Run) -> None:
        """Raise SettingsError for a run that these processes cannot train."""
        if self.size > 1 and "counts" in MODELS[run.model].traits:
            raise SettingsError(
                "this model counts its text once and has no gradients to share: start it as one process",
                "这个模型只把文本计数一遍，没有可共享的梯度：请以单进程启动",
            )
        if self.size > 1 and run.tuning.patience is not None:
            raise SettingsError(
                "early stopping goes back to weights that one process holds: start the run as one, or without patience",
                "早停要恢复由单个进程保存的权重：请以单进程启动，或去掉 patience",
            )
        if run.plan.batch < self.size:
            raise SettingsError(
                f"a batch of {run.plan.batch} rows is too small for {self.size} processes: give each at least one row",
                f"批大小 {run.plan.batch} 不足以分给 {self.size} 个进程：请让每个进程至少有一个样本",
            )


ALONE = Group()
