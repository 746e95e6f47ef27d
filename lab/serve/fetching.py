"""Published models for visitors: one fetch at a time, by the terminal's own command, which goes on when they leave."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from lab.exchange.hub import no_safetensors
from lab.exchange.hub_store import coming, kept, run_id, size_of, state_of, wanted
from lab.runs.folder import home, hub
from lab.serve.limits import limits
from lab.serve.places import waiting
from lab.settings import SettingsError

ROOT = Path(__file__).resolve().parents[2]
GIGABYTE = 10**9
_one = threading.Lock()
_started: dict[Path, subprocess.Popen[bytes]] = {}  # by the places of their models


def sized(name: str) -> int:
    """The bytes of a model's weights, as the Hub says. Raises SettingsError where a visitor may not have it here."""
    with waiting():
        offer = wanted(name)
    if not offer.has_weights:
        raise no_safetensors(offer.name)
    allowed, there = limits(), sum(map(size_of, kept()))
    if offer.size > allowed.published:
        raise SettingsError(
            f"the weights of {offer.name} have {offer.size / 1e9:,.1f} GB; at most {allowed.published / 1e9:,.1f} GB "
            "are fetched for visitors here",
            f"{offer.name} 的权重共 {offer.size / 1e9:,.1f} GB，这里最多为访问者下载 {allowed.published / 1e9:,.1f} GB",
        )
    if there + offer.size > allowed.all_published:
        raise SettingsError(
            f"the published models here have {there / 1e9:,.1f} GB already; {allowed.all_published / 1e9:,.1f} GB are "
            "the most: whoever runs the lab can remove some by python -m lab models delete",
            f"这里已有 {there / 1e9:,.1f} GB 的已发布模型，最多 {allowed.all_published / 1e9:,.1f} GB："
            "管理员可以用 python -m lab models delete 删除一些",
        )
    return offer.size


def start(name: str) -> None:
    """Begin to fetch a model, unless it is here or coming. Raises SettingsError where that may not be."""
    with waiting(), _one:  # who asks whether one may come also begins, before another asks
        _start(name)


def _start(name: str) -> None:
    if state_of(name)["is"] in ("here", "coming"):
        return
    begun = {place.name for place, process in _started.items() if place.parent == hub() and process.poll() is None}
    begun = {other for other in begun if state_of(other)["is"] != "here"}  # before they hold their locks
    others = [other for other in begun.union(coming()) if other != run_id(name)]
    if others:
        raise SettingsError(
            f"{others[0].replace('--', '/')} is being fetched: one model comes at a time, try again when it is here",
            f"正在下载 {others[0].replace('--', '/')}：每次只下载一个模型，请稍后再试",
        )
    sized(name)
    words = ["models", "fetch", name, "--gigabytes", str(limits().published / GIGABYTE)]
    process = subprocess.Popen(
        [sys.executable, "-m", "lab", *words],
        env={**os.environ, "CLOZE_LAB_HOME": str(home()), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, process.pid, limits().nice)
    _started[hub() / run_id(name)] = process


def state(name: str) -> dict[str, Any]:
    """As ``state_of``; "coming" from the moment of ``start``."""
    now, process = state_of(name), _started.get(hub() / run_id(name))
    if process is None:
        return now
    if process.poll() is not None:
        _started.pop(hub() / run_id(name), None)
        return state_of(name)
    return {"is": "coming", "done": 0, "of": 0} if now["is"] in ("absent", "failed") else now
