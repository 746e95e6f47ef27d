"""A published model known by its config alone: which of our recipes it is, and how large."""

from pathlib import Path
from typing import Any

from lab.engine.count import count
from lab.engine.exchange.headers import CONFIG_BYTES, document
from lab.engine.exchange.naming import naming_for


def counted(path: Path) -> dict[str, Any]:
    """The parameters of the model that a config.json describes: our ``model``, and counts as ``count`` gives them."""
    config = document(path, CONFIG_BYTES)
    naming = naming_for(config)
    shape, size = naming.shape(config), naming.size(config)
    return {"model": naming.model, **count(naming.model, shape.dump(), size)}
