"""Words that were written, and where in the source each looked."""

import base64
from typing import Any

import numpy as np

from lab.inference.alignment import Alignment
from lab.spelling import spellings
from lab.ui.components.drawn import Drawn


class AlignmentStrips(Drawn):
    """Value: what ``alignment_value`` gives, or {"empty": text}. The chosen layer is in the address as ``looks``."""

    script = "alignment"


def alignment_value(found: Alignment) -> dict[str, Any]:
    """{"source": [[text, special], ...] of S, "written": the same of T, "layers": L, "data": base64 of (1 + L) * T * S
    bytes}: the mean of all layers and each layer, 255 times the share."""
    shares = np.concatenate([found.shares.mean(0, keepdim=True).numpy(), found.shares.numpy()])  # (1 + L, T, S)
    data = np.round(255 * shares).astype(np.uint8)
    return {
        "source": _named(found.source),
        "written": _named(found.written),
        "layers": len(found.shares),
        "data": base64.b64encode(np.ascontiguousarray(data).tobytes()).decode(),
    }


def _named(pieces: list[Any]) -> list[list[Any]]:
    return [[text, piece.special] for text, piece in zip(spellings(pieces), pieces, strict=True)]
