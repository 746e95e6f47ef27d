"""The process group that a launcher such as torchrun has put this process into, by its environment.

torchrun starts the same command several times and tells each process its rank, how many there are (the world size), and
where they meet. SLURM starts one torchrun on each machine.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import torch
from torch import distributed

from lab.settings import SettingsError
from lab.training.parallel import ALONE, Group

PATIENCE = timedelta(hours=6)  # others wait while the first reads a large corpus; whoever dies is noticed at once


@contextmanager
def launched(sharded: bool = False) -> Iterator[Group]:
    """The group of this process; without a launcher it is alone. ``sharded``: each of several processes holds but a
    part of the model."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if sharded and "WORLD_SIZE" not in os.environ:
        raise SettingsError(
            "--sharded is for several processes, which torchrun starts: start it so, or leave --sharded out",
            "--sharded 用于由 torchrun 启动的多个进程：请用 torchrun 启动，或去掉 --sharded",
        )
    if size == 1:
        yield ALONE
        return
    store, rank, _ = next(distributed.rendezvous("env://"))
    # torchrun keeps its store when it starts processes anew: they must not meet where the dead ones did.
    store = distributed.PrefixStore(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), store)
    # Words between the processes always go by gloo; tensors on GPUs by NCCL.
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    distributed.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=PATIENCE)
    try:
        yield _kind(sharded)(rank, size, int(os.environ.get("LOCAL_RANK", "0")), store)
    except RuntimeError as error:
        if not _unreached(error):
            raise
        raise SettingsError(
            "another process of this group has ended, and none trains on alone: give the same command again to go on",
            "同组的另一个进程已结束，其余进程无法单独继续训练：请再次执行同一命令继续",
        ) from None
    finally:
        distributed.destroy_process_group()


def _unreached(error: RuntimeError) -> bool:
    """Whether torch says so of another process. Gloo has no kind of error of its own, but names its source file."""
    return isinstance(error, distributed.DistError) or "/gloo/" in str(error)


def _kind(sharded: bool) -> type[Group]:
    if not sharded:
        return Group
    from lab.training.sharding import Sharded  # noqa: PLC0415  half a second, which nobody else shall wait

    return Sharded
