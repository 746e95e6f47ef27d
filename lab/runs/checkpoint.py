"""Checkpoints: the state of a run saved and loaded, so that a kill loses at most the work since the last one.

A checkpoint is written to a temporary folder, synced, sealed by a manifest of checksums and only then renamed. On
loading, one whose checksums fail is passed over and the one before it taken. safetensors and JSON only.
"""

import hashlib
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from safetensors.torch import save as serialized
from torch import Tensor, nn

from lab.layers.low_rank import plain
from lab.layers.ngrams import Counting
from lab.runs.eight_bits import restored
from lab.settings import SettingsError

KEEP = 2  # how many checkpoints stay on disk
FROZEN = "frozen.safetensors"  # what no step changes, beside the checkpoints that need it
_NAME = re.compile(r"step-[0-9]+")
EARLIER = {"chance": "rng_state"}  # earlier names of facts, which old checkpoints still have


@dataclass(frozen=True)
class State:
    """What a checkpoint holds: weights, the optimizer's tensors, the generator's state, and plain facts."""

    step: int
    weights: dict[str, Tensor]
    optimizer: dict[str, Tensor]
    facts: dict[str, Any]


def save(root: Path, state: State, best: int = 0) -> None:
    """Write ``state`` below ``root``, and leave the newest few there, and that of the step ``best``. Raises OSError if
    it cannot."""
    write(root, state)
    for old in folders(root)[KEEP:]:
        if step_of(old) != best:
            shutil.rmtree(old, ignore_errors=True)


def back_to(root: Path, step: int) -> dict[str, Tensor] | None:
    """The weights of the checkpoint at ``step``, which is now the newest: those behind it go. None where there is no
    such checkpoint, or a damaged one."""
    try:
        weights, _ = load_weights(root, step)
    except FileNotFoundError:
        return None
    for later in folders(root):
        if step_of(later) > step:
            shutil.rmtree(later, ignore_errors=True)
    return weights


def write(root: Path, state: State) -> None:
    """Write ``state`` below ``root`` as ``step-N``, unless that step is there. Raises OSError if it cannot, and leaves
    nothing half written."""
    temporary = root / f".tmp-{state.step}-{os.getpid()}"
    final = root / f"step-{state.step:08d}"
    if intact(final):
        return
    root.mkdir(exist_ok=True)
    for left in root.glob(".tmp-*"):  # of a save that was killed: a run has one writer
        shutil.rmtree(left, ignore_errors=True)
    try:
        temporary.mkdir()
        # Written by Python, because the library's own writing tells a full disk by an error of its own.
        weights = {name: tensor.contiguous() for name, tensor in state.weights.items()}
        (temporary / "weights.safetensors").write_bytes(serialized(weights))
        (temporary / "optimizer.safetensors").write_bytes(serialized(state.optimizer))
        (temporary / "state.json").write_text(json.dumps({"step": state.step, **state.facts}), encoding="utf-8")
        manifest = {path.name: _digest(path) for path in sorted(temporary.iterdir())}
        if (root / FROZEN).exists():
            manifest[f"../{FROZEN}"] = _digest(root / FROZEN)
        (temporary / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
        for path in (*temporary.iterdir(), temporary):
            _sync(path)
        shutil.rmtree(final, ignore_errors=True)  # a damaged one that was passed over
        temporary.rename(final)
        _sync(root)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def load(root: Path) -> tuple[State | None, list[str]]:
    """The newest state whose checksums hold, and the names of newer ones that had to be passed over."""
    folder, damaged = soundest(root)
    if folder is None:
        return None, damaged
    written = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    facts = {EARLIER.get(name, name): fact for name, fact in written.items()}
    optimizer = load_file(folder / "optimizer.safetensors")
    return State(facts.pop("step"), _weights_in(folder), optimizer, facts), damaged


def soundest(root: Path) -> tuple[Path | None, list[str]]:
    """The folder of the newest checkpoint whose checksums hold, and the names of newer ones."""
    damaged: list[str] = []
    for folder in folders(root):
        if intact(folder):
            return folder, damaged
        damaged.append(folder.name)
    return None, damaged


def load_weights(root: Path, step: int | None = None) -> tuple[dict[str, Tensor], int]:
    """Only the weights of the newest intact checkpoint, or of that at ``step``, and its step. Raises FileNotFoundError
    without one."""
    for folder in folders(root):
        if step in (None, step_of(folder)) and intact(folder):
            return _weights_in(folder), step_of(folder)
    raise FileNotFoundError(root)


def freeze(root: Path, weights: dict[str, Tensor]) -> None:
    """Write the weights that no step of a run changes, once: its checkpoints below ``root`` need not hold them."""
    if weights and not (root / FROZEN).exists():
        root.mkdir(exist_ok=True)
        temporary = root / f".tmp-frozen-{os.getpid()}"
        temporary.write_bytes(serialized({name: tensor.contiguous() for name, tensor in weights.items()}))
        _sync(temporary)
        temporary.rename(root / FROZEN)
        _sync(root)


def _weights_in(folder: Path) -> dict[str, Tensor]:
    """The weights of a checkpoint, with those that stand beside it."""
    frozen = folder.parent / FROZEN
    return (load_file(frozen) if frozen.exists() else {}) | restored(load_file(folder / "weights.safetensors"))


def step_of(folder: Path) -> int:
    """The step of a checkpoint's folder."""
    return int(folder.name.removeprefix("step-"))


def newest(root: Path) -> Path | None:
    """The newest checkpoint's folder by name, its checksums not looked at; None where there is none."""
    return next(iter(folders(root)), None)


def intact(folder: Path) -> bool:
    """Whether every file of a checkpoint is the one that its manifest names."""
    try:
        manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
        return bool(manifest) and all(_digest(folder / name) == digest for name, digest in manifest.items())
    except (OSError, ValueError, AttributeError):
        return False


def pack_optimizer(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimizer's tensors under the names ``number.key``, numbered as its parameters are."""
    state = optimizer.state_dict()["state"]
    return {f"{number}.{key}": value for number, values in state.items() for key, value in values.items()}


def unpack_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Put back what ``pack_optimizer`` took out."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """The model's parameters and buffers by name; a tied one appears once."""
    return {plain(name): tensor.detach() for name, tensor in (*model.named_parameters(), *model.named_buffers())}


def frozen_names(model: nn.Module) -> set[str]:
    """The names of the parameters that ask for no gradient; where all do, or none, nobody has frozen any."""
    asking = {plain(name): parameter.requires_grad for name, parameter in model.named_parameters()}
    return {name for name, asks in asking.items() if not asks} if any(asking.values()) else set()


def set_weights(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Copy weights into the model. Raises SettingsError where names or shapes are not the model's."""
    _resize(model, weights)
    own = weights_of(model)
    differing = own.keys() ^ weights.keys() or {name for name in own if own[name].shape != weights[name].shape}
    if differing:
        first = min(differing)
        raise SettingsError(
            f"the weights are not those of the model that run.json describes ({first} differs): put that file back",
            f"权重与 run.json 描述的模型不符（{first} 不同）：请恢复该文件",
        )
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(weights[name])


def _resize(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Make room for buffers that had grown when they were saved."""
    for path, part in model.named_modules():
        for name in part.growing if isinstance(part, Counting) else ():
            full = f"{path}.{name}" if path else name
            if full in weights:
                setattr(part, name, torch.empty_like(weights[full], device=getattr(part, name).device))


def folders(root: Path) -> list[Path]:
    """What is kept below ``root``, the newest first; a copy that somebody made there has another name."""
    return sorted((folder for folder in root.glob("step-*") if _NAME.fullmatch(folder.name)), reverse=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot sync a folder
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
