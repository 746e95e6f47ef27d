"""The sizes of a small model: what the page and the command line begin with, so that both train the same.

The smallest one learns before one's eyes on a laptop; a run on paper, or from a script, may take any other. A window is
narrower than the context at every size: else it would be none.
"""

from typing import Any

from lab.catalog import MODELS

USUAL = "tiny"
SIZES: dict[str, dict[str, Any]] = {
    "tiny": {
        "width": 64,
        "depth": 2,
        "heads": 2,
        "context": 32,
        "embedding_width": 32,
        "generator": 64,  # at this width, a narrower generator or narrower embeddings
        "wide": True,  # would keep ELECTRA from learning within minutes
        "window": 8,
    },
    "small": {"width": 128, "depth": 4, "heads": 4, "context": 128, "embedding_width": 64, "generator": 32},
    "medium": {"width": 256, "depth": 4, "heads": 4, "context": 128, "embedding_width": 64, "generator": 64},
}


def shape(model: str, size: str) -> dict[str, Any]:
    """The sizes of a model by their name, as far as the model has such knobs; "small" where there is no such name."""
    knobs = MODELS[model].settings.knobs()
    return {name: value for name, value in SIZES.get(size, SIZES["small"]).items() if name in knobs}


def size_of(model: str, values: dict[str, Any]) -> str:
    """The size from which fewest of a model's ``values`` differ."""
    return min(SIZES, key=lambda size: sum(values.get(name) != value for name, value in shape(model, size).items()))
