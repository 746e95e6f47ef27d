"""Benchmark processes: how ours and a peer are run in processes of their own, and their answers read."""

import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from lab.serve.limits import cores
from lab.settings import SettingsError


def check_peers(names: Sequence[str]) -> None:
    """Raise SettingsError where one of the packages is not installed."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise SettingsError(
            f"this benchmark needs {' and '.join(missing)}: pip install -r tests/requirements.txt",
            f"此基准测试需要 {'、'.join(missing)}：pip install -r tests/requirements.txt",
        )


def run_arm(arm: str, words: Sequence[str], threads: int, processes: int = 1) -> dict[str, Any]:
    """What an arm prints as its last line, run in a process of its own, or by several that torchrun starts."""
    command = command_of(arm, words, processes)
    done = subprocess.run(command, env=environment_of(threads), capture_output=True, text=True, check=False)
    if done.returncode:
        raise broken(arm, done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def command_of(arm: str, words: Sequence[str], processes: int = 1) -> list[str]:
    """What starts an arm."""
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    return [sys.executable, *torchrun * (processes > 1), "-m", f"lab.bench.arms.{arm}", *words]


def environment_of(threads: int) -> dict[str, str]:
    """What an arm finds in its environment."""
    return {**os.environ, "OMP_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "false"}


def broken(arm: str, complaints: str) -> SettingsError:
    """What is said of an arm that ended without an answer: the last line of what it wrote to standard error, or the
    sentence that it had for the person."""
    reason = (complaints.strip().splitlines() or ["no reason given"])[-1]
    refusal = f"{SettingsError.__module__}.{SettingsError.__name__}: "
    if reason.startswith(refusal):
        return SettingsError(reason.removeprefix(refusal), reason.removeprefix(refusal))
    return SettingsError(f"the arm {arm} broke down: {reason}", f"{arm} 组出错：{reason}")


def threads_of(asked: int) -> int:
    """The processor threads asked for, 0 being all that there are."""
    return asked or cores()


def versions(names: Sequence[str]) -> dict[str, str]:
    """What was measured: the packages, and the kind of machine."""
    return {name: importlib.metadata.version(name) for name in names} | {"machine": platform.machine()}
