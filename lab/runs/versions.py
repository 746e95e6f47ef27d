"""What a run's numbers depend on besides its settings."""

import platform

import numpy
import tokenizers
import torch

from lab.runs.earlier import LAB, VERSION


def versions() -> dict[str, str]:
    """Versions by the name of what has them."""
    return {
        LAB: VERSION,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "tokenizers": tokenizers.__version__,
        "machine": platform.machine(),
    }
