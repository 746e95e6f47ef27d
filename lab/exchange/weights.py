"""safetensors weights whose headers were checked, read one tensor at a time and as single precision."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from lab.exchange.naming import short
from lab.settings import SettingsError

FLOATS = ("F16", "BF16", "F32", "F64")


class Weights(Mapping[str, Tensor]):
    """Tensors by the names that they have in their files; each is read when it is asked for, and must be finite."""

    def __init__(self, folder: Path, tensors: Mapping[str, tuple[str, str, list[int]]]) -> None:
        self._folder = folder
        self._tensors = tensors
        self._files: dict[str, Any] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __getitem__(self, name: str) -> Tensor:
        file, kind, _ = self._tensors[name]
        if kind not in FLOATS:
            raise SettingsError(
                f"the tensor {short(name)} holds {kind}: weights must be F16, BF16, F32 or F64",
                f"张量 {short(name)} 的格式为 {kind}：权重必须是 F16、BF16、F32 或 F64",
            )
        if file not in self._files:
            self._files[file] = safe_open(self._folder / file, framework="pt")
        tensor: Tensor = self._files[file].get_tensor(name).to(torch.float32)
        low, high = tensor.aminmax()  # both are NaN if any number is
        if not (torch.isfinite(low) and torch.isfinite(high)):
            raise SettingsError(
                f"the tensor {short(name)} holds numbers that are not finite",
                f"张量 {short(name)} 中有非有限的数",
            )
        return tensor

    def without(self, beginnings: tuple[str, ...]) -> "Weights":
        """The same but for the tensors whose names begin so."""
        kept = {name: facts for name, facts in self._tensors.items() if not name.startswith(beginnings)}
        return Weights(self._folder, kept)

    def outline(self) -> dict[str, Tensor]:
        """The tensors without their numbers: shapes that take no memory."""
        return {name: torch.empty(shape, device="meta") for name, (_, _, shape) in self._tensors.items()}
