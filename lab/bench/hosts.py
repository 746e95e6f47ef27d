"""Hosts: two machines train one run; one of them is killed in the middle and comes back.

The machines are two network namespaces of this one with a cable between them. They share its disk, as machines of a
cluster share theirs, and reach each other by nothing but the cable. On both stands torchrun, in a loop that starts it
anew: when a machine dies with all that is on it, the other's torchrun still counts on it, waits for a minute and gives
up. Started anew it meets the one that has come back, and both go on from the last checkpoint. The run is held against
one that a single process trained: at equal global batch the losses are the same but for rounding.
"""

import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.bench.arms.process import versions
from lab.bench.faulting.processes import wait
from lab.bench.sized import sized
from lab.catalog import BENCHMARKS, MODELS
from lab.runs.checkpoint import newest
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.settings import Settings, SettingsError, knob
from lab.training.parallel import Group
from lab.training.train import train

NETWORK, PORT = "10.201.77.", 29_500
HOURS = 4 * 3600.0  # of patience with a run that is under way
AWAY = 5.0  # seconds until a machine is back
LOOP = ["sh", "-c", 'until "$@"; do sleep 2; done', "sh"]
CLOSE = 1e-3  # nats by which losses may differ: sums in another order
# Muon's long steps make 0.02 nats of a last digit within 900 of them, as any two orders of summing do. With these, what
# two hosts do wrong stands out.
STEADY = {"optimizer": "adamw", "learning_rate": 0.001}


@dataclass(frozen=True, kw_only=True)
class Hosts(Settings):
    """What the two machines train."""

    model: str = knob("gpt", "Model", "模型")
    size: str = knob("small", "Size", "规模", choices=("tiny", "small", "medium"))
    steps: int = knob(600, "Steps of the run", "训练的步数", low=50, high=1_000_000)
    batch: int = knob(16, "Rows per step, of both together", "每步的样本数（两台合计）", low=2, high=4096)

    def check(self) -> None:
        MODELS[self.model]  # the register says which it does not know


@BENCHMARKS.add(
    "hosts",
    title="Two hosts",
    zh=("两台机器", "两台机器（网络命名空间）共同训练，其中一台被杀死后恢复：训练是否照旧。"),
    settings=Hosts,
    order=9,
)
def hosts(corpus: tuple[str, dict[str, Any]], s: Hosts, say: Callable[[str], None]) -> tuple[dict[str, Any], list[str]]:
    """Two hosts train a run, one is killed and brought back: what is lost, and how far losses are from one process'."""
    run = sized(s.model, s.size, corpus, steps=s.steps, batch=s.batch, **STEADY)
    Group(rank=0, size=2).check(run)
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as place, _two_hosts() as names:
        alone = RunFolder.create(run, Path(place) / "alone")
        for _ in train(alone):
            pass
        both = RunFolder.create(run, Path(place) / "both")
        found = _disturbed(both, names, s.steps)
        found |= {"apart": apart(losses(alone), losses(both))}
    say(line(found))
    document = {
        "benchmark": "hosts",
        **found,
        "corpus": corpus[0],
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, [line(found)]


def _disturbed(folder: RunFolder, names: Sequence[str], steps: int) -> dict[str, Any]:
    """The run trained by both hosts, the second of which is killed in the middle. Raises SettingsError where they do
    not begin, or are done before they have saved anything that could be gone on from."""

    def over() -> bool:
        return folder.document("result.json") != {}

    started = [_started(folder, name, number) for number, name in enumerate(names, 1)]
    try:
        wait(lambda: _step(folder) > 0, pause=0.2)
        if not _step(folder):
            raise SettingsError("the two hosts did not begin to train", "两台机器没有开始训练")
        wait(
            lambda: over() or (newest(folder.path / "checkpoints") is not None and _step(folder) >= steps // 2),
            pause=0.2,
            patience=HOURS,
        )
        if over():
            raise SettingsError(
                "the run was over before a checkpoint was saved: give it more steps",
                "训练在保存检查点之前已经结束：请增加步数",
            )
        killed_at, killed = _step(folder), time.monotonic()
        _kill(names[1])
        started[1].wait()
        time.sleep(AWAY)
        started[1] = _started(folder, names[1], 2)
        wait(lambda: bool(_went_on(folder)) and _step(folder) > killed_at, pause=0.2, patience=HOURS)
        waited = time.monotonic() - killed
        wait(over, pause=0.2, patience=HOURS)
    finally:
        for name, host in zip(names, started, strict=True):
            _kill(name)
            host.wait()
    result = folder.document("result.json")
    return {
        "killed_at": killed_at,
        "went_on_at": _went_on(folder),
        "seconds_until_further": round(waited, 1),
        "steps": result["steps"],
        "ended": result["ended"],
    }


def _kill(name: str) -> None:
    """Kill all that runs on a host, as when its power fails; torchrun's own children have sessions of their own."""
    ids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout
    for number in ids.split():
        with suppress(ProcessLookupError):
            os.kill(int(number), signal.SIGKILL)


def _started(folder: RunFolder, name: str, number: int) -> subprocess.Popen[bytes]:
    """torchrun on a host, started anew until it ends well."""
    address = f"{NETWORK}{number}"
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1"]
    meet = ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"{NETWORK}1:{PORT}", "--local-addr", address]
    meet += ["--rdzv-conf", f"is_host={number % 2}"]  # the first one's address is nowhere in its own list of names
    command = ["ip", "netns", "exec", name, *LOOP, *torchrun, *meet, "--max-restarts", "3"]
    # Both hosts have this machine's name, by which gloo would look for its address.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": f"{name}-eth"}
    return subprocess.Popen(
        [*command, "-m", "lab", "pretrain", "--resume", str(folder.path)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def _two_hosts() -> Iterator[list[str]]:
    """Two network namespaces with a cable between them. Raises SettingsError where this process may not make them."""
    names = [f"cloze{os.getpid() % 10_000}{end}" for end in "ab"]
    ends = [f"{name}-eth" for name in names]
    if shutil.which("ip") is None:
        raise SettingsError("this benchmark needs Linux with the command ip", "此基准测试需要带 ip 命令的 Linux")
    try:
        for name in names:
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("link", "add", ends[0], "netns", names[0], "type", "veth", "peer", "name", ends[1], "netns", names[1])
        for number, (name, end) in enumerate(zip(names, ends, strict=True), 1):
            _ip("-n", name, "address", "add", f"{NETWORK}{number}/24", "dev", end)
            _ip("-n", name, "link", "set", end, "up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip() or "no reason given"
        raise SettingsError(
            f"this user may not make network namespaces: {reason}", f"当前用户不能创建网络命名空间：{reason}"
        )


def _step(folder: RunFolder) -> int:
    """The newest step in the metrics log."""
    return max(losses(folder), default=0)


def _went_on(folder: RunFolder) -> list[int]:
    """The steps from which the run was taken up again."""
    return [each["step"] for each in _records(folder) if each["kind"] == "event" and each["code"] == "resumed"]


def losses(folder: RunFolder) -> dict[int, float]:
    """The loss of each step that the metrics log names."""
    return {each["step"]: each["loss"] for each in _records(folder) if each["kind"] == "train"}


def _records(folder: RunFolder) -> list[dict[str, Any]]:
    path = folder.path / "metrics.jsonl"
    return MetricsLog(path).read()[0] if path.exists() else []


def apart(one: dict[int, float], other: dict[int, float]) -> float:
    """By how many nats two runs differ at most, at the steps that both name; infinity if one names others."""
    if one.keys() != other.keys():
        return math.inf
    return max((abs(one[step] - other[step]) for step in one), default=math.inf)


def line(found: dict[str, Any]) -> str:
    """What came of it."""
    kept = "the same losses as one process" if found["apart"] <= CLOSE else "other losses than one process"
    return (
        f"a host killed at step {found['killed_at']}: both went on from step {found['went_on_at'][-1]} "
        f"after {found['seconds_until_further']:.0f} s, {found['ended']} after {found['steps']} steps; "
        f"{kept}, at most {found['apart']:.1e} nats apart"
    )
