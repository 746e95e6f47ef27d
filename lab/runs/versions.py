"""What a run's numbers depend on besides its settings."""

import platform

import numpy
import tokenizers
import torch


def versions() -> dict[str, str]:
    """Versions by the name of what has them."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "tokenizers": tokenizers.__version__,
        "machine": platform.machine(),
    }
