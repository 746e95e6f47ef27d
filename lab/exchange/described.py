"""A config.json read alone: which of our recipes it describes, and how large."""

from pathlib import Path
from typing import Any

from lab.analysis.count import count
from lab.exchange.headers import CONFIG_BYTES, document
from lab.exchange.known import naming_for


def described(path: Path) -> tuple[str, dict[str, Any], int]:
    """The model that a config.json describes: its name here, its shape and its vocabulary."""
    config = document(path, CONFIG_BYTES)
    naming = naming_for(config)
    return naming.model, naming.shape(config).dump(), naming.size(config)


def counted(path: Path) -> dict[str, Any]:
    """The parameters of the model that a config.json describes: our ``model``, and counts as ``count`` gives them."""
    model, shape, size = described(path)
    return {"model": model, **count(model, shape, size)}
