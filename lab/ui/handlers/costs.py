"""What two models cost beside each other: counted at once, and measured in a process of its own when a visitor asks."""

import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from lab.catalog import MODELS
from lab.engine.cost import Cost, example, kept_per_token, step_cost
from lab.engine.count import count, tensors
from lab.engine.run import Run
from lab.serve.limits import bearable, limits
from lab.settings import SettingsError
from lab.ui.words import pair, say

ROWS, LENGTH = 8, 128  # of the step that is counted and measured
PATIENCE = 180.0  # seconds
_ROOT = Path(__file__).resolve().parents[3]
_measuring = threading.Lock()  # one at a time: two would slow each other down


@dataclass(frozen=True)
class Side:
    """One of the two models."""

    name: str  # a published name, or "" for own sizes
    model: str
    shape: dict[str, Any]
    vocabulary: int

    @property
    def command(self) -> str:
        """The command that counts it."""
        if self.name:
            return f"python -m lab params {shlex.quote(self.name)}"
        flags = " ".join(
            f"--{knob}" if size is True else f"--{knob} {size}" for knob, size in self.shape.items() if size is not None
        )
        return f"python -m lab params --model {self.model} {flags} --vocab {self.vocabulary}"

    @property
    def title(self) -> dict[str, str]:
        """The family's name, with that of the published model behind it."""
        entry = MODELS[self.model]
        titles = entry.title, entry.title_zh
        return pair(*(f"{title} · {self.name}" if self.name else title for title in titles))

    @property
    def example(self) -> Run:
        """The run whose step is counted and measured."""
        return example(self.model, self.shape, LENGTH, ROWS)

    @property
    def cost(self) -> Cost:
        """That step, with all the positions that the model has."""
        whole = count(self.model, self.shape, self.vocabulary)["params"]["with_pretraining_heads"]
        return replace(step_cost(self.example, self.vocabulary), parameters=whole)


def compared(models: Sequence[Side], seen: Sequence[Mapping[str, Any] | None] = (None, None)) -> dict[str, Any]:
    """The table of costs; ``seen`` is what was measured of each model."""
    costs = [each.cost for each in models]
    kept = [kept_per_token(each.example, each.vocabulary) for each in models]
    rows = [
        ("weights", [size(cost.weights) for cost in costs]),
        ("optimizer", [size(cost.optimizer) for cost in costs]),
        ("activations", [size(cost.activations) for cost in costs]),
        ("training", [size(cost.training) for cost in costs]),
        ("forward", [operations(cost.forward / cost.tokens) for cost in costs]),
        ("backward", [operations(cost.backward / cost.tokens) for cost in costs]),
        ("cache", [size(each) for each in kept]),
    ]
    if any(seen):
        rows.append(("step", [f"{each['step_seconds'] * 1000:,.0f} ms" if each else "–" for each in seen]))
        rows.append(("memory", [size((each or {}).get("measured_bytes")) for each in seen]))
    return {
        "columns": [say("parameters.cost.what", rows=ROWS, length=LENGTH), *(each.title for each in models)],
        "rows": [[say(f"parameters.cost.{name}"), *cells] for name, cells in rows],
    }


def told(models: Sequence[Side], seen: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One sentence on what was measured: what fewer parameters save, and what they do not."""
    left, right = (each["step_seconds"] for each in seen)
    names = {"left": models[0].title, "right": models[1].title}
    fewer = models[1].cost.parameters / models[0].cost.parameters
    return say("parameters.cost.told", **names, weights=f"{100 * fewer:.0f}", time=f"{100 * right / left:.0f}")


def measured(models: Sequence[Side]) -> list[dict[str, Any]]:
    """The measured step of each model. Raises SettingsError where one is too large for this place, or another visitor
    is measuring."""
    for each in models:
        bearable(each.example, each.vocabulary)
    if not _measuring.acquire(blocking=False):
        raise SettingsError("somebody is measuring just now: try again in a minute", "有人正在测量：请一分钟后再试")
    try:
        return [_step(each.command, limits().threads) for each in models]
    finally:
        _measuring.release()


@lru_cache(maxsize=64)
def _step(command: str, threads: int) -> dict[str, Any]:
    flags = ["--measure", "--json", "--rows", str(ROWS), "--length", str(LENGTH), "--threads", str(threads)]
    words = [sys.executable, *shlex.split(command)[1:], *flags]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    try:
        done = subprocess.run(words, env=environment, capture_output=True, timeout=PATIENCE, text=True)
        found: dict[str, Any] = json.loads(done.stdout)["cost"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        raise SettingsError(
            "a step took too long or too much memory here: choose smaller sizes",
            "这一步耗时过长或内存不足：请减小尺寸",
        ) from None
    return found


def areas(models: Sequence[Side]) -> dict[str, Any]:
    """Every tensor of both models, for the map of areas."""
    return {
        "models": [
            {
                "name": each.title,
                "file": each.name.replace("/", "-") or each.model,
                "tensors": [
                    [fact.name, list(fact.shape), fact.part, fact.count]
                    for fact in tensors(each.model, each.shape, each.vocabulary)
                ],
            }
            for each in models
        ]
    }


def size(n: float | None) -> str:
    """Bytes as people say them."""
    if n is None:
        return "–"
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= unit:
            return f"{n / unit:,.3g} {name}"
    return f"{n:,.0f} B"


def operations(n: float) -> str:
    """Operations as people say them."""
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= unit:
            return f"{n / unit:,.3g} {name}FLOP"
    return f"{n:,.0f} FLOP"
